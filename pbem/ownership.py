"""The names, owner and permissions of a file, which the file that replaces it must keep."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from pbem.errors import CannotCreate
from pbem.formats import shown

_ACL: Final = "system.posix_acl_access"


def replaceable(path: Path) -> os.stat_result | None:
    """Return the status of the file that is to be replaced, None if it does not exist.

    Raises CannotCreate for a symbolic link, for anything but a file, for a file that
    is write-protected, and for one with a second name: a hard link would keep
    the old text, and the game would continue in two files.
    """
    try:
        about = path.lstat()
    except FileNotFoundError:
        return None
    name, kind = shown(path), about.st_mode
    if stat.S_ISLNK(kind):
        raise CannotCreate(f"{name} is a symbolic link and is not replaced", path=name)
    if not stat.S_ISREG(kind):
        raise CannotCreate(f"{name} is not a file and is not replaced", path=name)
    if not os.access(path, os.W_OK):
        raise CannotCreate(f"{name} is write-protected and is not replaced", path=name)
    if about.st_nlink > 1 and _other_names(path, about):
        import shlex

        file = shlex.quote(name)
        raise CannotCreate(
            f"{name} has a second name, a hard link, which would keep the old game",
            path=name,
            hint=f"nothing was changed; make it a separate file: cp -p {file} {file}.new && mv {file}.new {file}",
        )
    return about


def _other_names(path: Path, about: os.stat_result) -> bool:
    """Return whether the file has other names; a temporary one that it had while it was written is removed."""
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if is_litter(entry.name) and entry.inode() == about.st_ino:
                Path(entry).unlink()
    return path.lstat().st_nlink > 1


def is_litter(name: str) -> bool:
    """Return whether the name is that of a file that is being written."""
    return name.startswith(".pbem-") and name.endswith(".tmp")


def hand_on(descriptor: int, path: Path, old: os.stat_result, mode: int | None = None) -> None:
    """Give an open file the owner, group, permissions and extended attributes of the *old* one at *path*.

    With another *mode* the access list is dropped. Only root may give a file to
    somebody else: a file that others may write becomes ours, and they may
    still write it. Raises CannotCreate if somebody would lose or gain access.
    """
    bits = stat.S_IMODE(old.st_mode) & 0o777
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        _give(descriptor, old)
        now = os.fstat(descriptor)
        group, others, owner = bits >> 3 & 0o7, bits & 0o7, bits >> 6 & 0o6
        if now.st_gid != old.st_gid and group != others:
            message = f"replacing {shown(path)} would change its group ({_group(old.st_gid)}), and somebody's access"
            raise CannotCreate(message, path=shown(path), hint="join the group")
        if now.st_uid != old.st_uid and owner & ~(others | (group if _is_member(old.st_uid, old.st_gid) else 0)):
            user = user_name(old.st_uid)
            message = f"replacing {shown(path)} would change its owner ({user}), who could not use it any more"
            raise CannotCreate(message, path=shown(path), hint=f"run it as that user: sudo -u {user} ...")
    set_mode(descriptor, bits if mode is None else mode)
    if mode is None and hasattr(os, "listxattr"):  # Linux has them
        _copy_attributes(descriptor, path)


def set_mode(descriptor: int, mode: int) -> None:
    """Set the permissions of an open file; on Windows it keeps those of its folder, which no mode can express."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def _give(descriptor: int, old: os.stat_result) -> None:
    """Give the file the owner and group of the old one, or at least its group."""
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        with suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)


def _copy_attributes(descriptor: int, path: Path) -> None:
    """Give the file the extended attributes of another where we may; only the access list must be kept."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:  # not on this file system
        return
    if _ACL not in names:  # one that the folder gives to new files
        with suppress(OSError):
            os.removexattr(descriptor, _ACL)
    for name in names:
        try:
            os.setxattr(descriptor, name, os.getxattr(path, name, follow_symlinks=False))
        except OSError as error:
            if name == _ACL:
                message = f"replacing {shown(path)} would remove its access list, and somebody's access"
                hint = f"setfacl -b {shown(path)} removes the list"
                raise CannotCreate(message, path=shown(path), hint=hint) from error


def _is_member(user: int, group: int) -> bool:
    """Return whether the user has the rights of the group; root has all rights."""
    import pwd

    try:
        entry = pwd.getpwuid(user)
    except KeyError:
        return False
    return user == 0 or group in os.getgrouplist(entry.pw_name, entry.pw_gid)


def user_name(number: int) -> str:
    """Return the name of a user, or the number if it has no name."""
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
