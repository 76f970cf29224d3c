"""What a file is besides its text: its names, its owner, and who may use it; the file in its place stays so."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from pbem.errors import CannotCreate
from pbem.formats import shown

_ACL: Final = "system.posix_acl_access"


def replaceable(path: Path) -> os.stat_result | None:
    """Return what the file is that is to be replaced, None if there is none.

    Raises CannotCreate for a symbolic link, for what is no file, for a file that
    is write-protected, and for one that has another name: a hard link would keep
    the old text, and the game would go on in two files.
    """
    try:
        about = path.lstat()
    except FileNotFoundError:
        return None
    name, kind = shown(path), about.st_mode
    if not stat.S_ISREG(kind) or not os.access(path, os.W_OK):
        what = "write-protected" if stat.S_ISREG(kind) else "a symbolic link" if stat.S_ISLNK(kind) else "not a file"
        raise CannotCreate(f"{name} is {what} and is not replaced", path=name)
    if about.st_nlink > 1 and _other_names(path, about):
        import shlex

        file = shlex.quote(name)
        raise CannotCreate(
            f"{name} has another name too, a hard link, under which the old game would stay",
            path=name,
            hint=f"nothing was changed; give it a file of its own: cp -p {file} {file}.new && mv {file}.new {file}",
        )
    return about


def _other_names(path: Path, about: os.stat_result) -> bool:
    """Return whether the file has other names, but for one that was ours while it was made, which is taken away."""
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if is_litter(entry.name) and entry.inode() == about.st_ino:
                Path(entry).unlink()
    return path.lstat().st_nlink > 1


def is_litter(name: str) -> bool:
    """Return whether only a file that is being made can have the name."""
    return name.startswith(".pbem-") and name.endswith(".tmp")


def hand_on(descriptor: int, path: Path, old: os.stat_result, mode: int | None = None) -> None:
    """Give an open file the owner, group, permissions and extended attributes of the *old* one at *path*.

    Another *mode* may be wanted; then there is no access list. Only root may give
    a file to somebody else: one that others may write becomes ours, and they may
    go on writing it. Raises CannotCreate where somebody would lose or win access.
    """
    bits = stat.S_IMODE(old.st_mode) & 0o777
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        _give(descriptor, old)
        now = os.fstat(descriptor)
        group, others, owner = bits >> 3 & 0o7, bits & 0o7, bits >> 6 & 0o6
        if now.st_gid != old.st_gid and group != others:
            raise _refusal(path, f"its group ({_group(old.st_gid)})", "join the group")
        if now.st_uid != old.st_uid and owner & ~(others | (group if _is_member(old.st_uid, old.st_gid) else 0)):
            raise _refusal(path, f"its owner ({user_name(old.st_uid)})", f"sudo -u {user_name(old.st_uid)} ...")
    os.fchmod(descriptor, bits if mode is None else mode)
    if mode is None and hasattr(os, "listxattr"):  # Linux has them
        _copy_attributes(descriptor, path)


def _give(descriptor: int, old: os.stat_result) -> None:
    """Give the file to the old one's owner and group, or at least to its group."""
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        with suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)


def _copy_attributes(descriptor: int, path: Path) -> None:
    """Give the file the extended attributes of another, as far as we may; an access list is more than a wish."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:  # this file system has none
        return
    if _ACL not in names:  # one that the folder gives to new files
        with suppress(OSError):
            os.removexattr(descriptor, _ACL)
    for name in names:
        try:
            os.setxattr(descriptor, name, os.getxattr(path, name, follow_symlinks=False))
        except OSError as error:
            if name == _ACL:
                raise _refusal(path, "its access list", f"setfacl -b {shown(path)} removes it") from error


def _refusal(path: Path, what: str, hint: str) -> CannotCreate:
    name = shown(path)
    message = f"{name} would lose {what} if you replaced it, and somebody could not use it any more"
    return CannotCreate(message, path=name, hint=hint)


def _is_member(user: int, group: int) -> bool:
    """Return whether what the group may do the user may do too; nobody takes anything from root."""
    import pwd

    try:
        entry = pwd.getpwuid(user)
    except KeyError:
        return False
    return user == 0 or group in os.getgrouplist(entry.pw_name, entry.pw_gid)


def user_name(number: int) -> str:
    """Return the name of a user, or the number of one who has none."""
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _group(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
