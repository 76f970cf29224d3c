"""Who made a commit: signatures with SSH keys, and the file with the accepted keys.

``allowed_signers`` in the game repository has a line for each key; its principal is
the colour of the player or ``host``. We call ssh-keygen ourselves: git asks whose
key it is and trusts the commit's own date, but the question is whether the key
now belongs to the player who decides.
"""

import hashlib
import re
import subprocess
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from pbem.carriers.git.ed25519 import is_valid, strings
from pbem.carriers.git.repository import Commit
from pbem.errors import Illegal, NoSuchFile, NotSigned, NotUnderstood
from pbem.formats import shown
from pbem.grammar import listed, phrase_listed
from pbem.locale import phrase
from pbem.table.lines import TableLine, Utterance
from pbem.table.matters.kinds import ChangeKey
from pbem.table.matters.matter import Matter
from pbem.table.matters.standing import Away
from pbem.table.minutes import Minutes

ALLOWED_SIGNERS: Final = "allowed_signers"
_BY_OTHERS: Final = "the commit is signed by {others}, but must be signed by {who}"
_SIGN_WITH: Final = "{who} can sign with {keys}; use --key FILE, or set user.signingkey"

_ED25519: Final = 32  # bytes of the number in a key of that kind
_KEY: Final = re.compile(r"((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]+) ([A-Za-z0-9+/]+=*)")


def check_signature(commit: Commit, signers: bytes, who: str, *, again: bool = True) -> None:
    """Raise NotSigned unless the commit is signed with a key of *who*, by the text of an ``allowed_signers`` file.

    Unless *again*, ``ssh-keygen`` is not asked about what was found valid in this process.
    """
    if not commit.signature:
        raise NotSigned(
            phrase("the commit is not signed, but must be signed by {who}", who=who), hint=_wanted(signers, who)
        )
    if not commit.signature.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise NotSigned(phrase("the commit is signed, but not with an SSH key"), hint="git config gpg.format ssh")
    if not again and is_valid(commit.signature + b"\n", commit.signed, signers, who):
        return
    with tempfile.TemporaryDirectory(prefix="pbem-") as folder:
        keys, signature = Path(folder, "allowed_signers"), Path(folder, "signature")
        keys.write_bytes(signers)
        signature.write_bytes(commit.signature + b"\n")
        asked = ("-n", "git", "-f", str(keys), "-s", str(signature))
        if _ssh_keygen("verify", "-I", who, *asked, stdin=commit.signed).returncode == 0:
            return
        found = _ssh_keygen("find-principals", *asked[2:]).stdout.decode(errors="replace").split()
    if who in found:
        hint = phrase("sign this commit; a signature cannot be copied from another one")
        raise NotSigned(phrase("the signature by {who} does not match this commit", who=who), hint=hint)
    message = phrase("the commit is signed with an unknown key, but must be signed by {who}", who=who)
    if found:
        message = phrase(_BY_OTHERS, others=shown(listed(found)), who=who)
    raise NotSigned(message, hint=_wanted(signers, who))


class Void(NamedTuple):
    """The *key* of a substitute that does not count for what is ordered or said, "" for none; and *why* not."""

    key: str = ""
    why: str = ""


def void_for(by: str, said: Utterance | None, minutes: Minutes, time: int) -> Void:
    """Return the key that does not count for what *by* orders or says at a time in seconds since 1970."""
    if minutes.standing.away(by, time) is None:
        why = phrase("the absence of {player} is over, and so is the time of the substitute", player=by)
    elif isinstance(said, Away):
        why = phrase("a substitute can only end the absence: {command}", command=f"pbem git back --as {by}")
    elif isinstance(said, ChangeKey):
        why = phrase("a substitute plays, but cannot change the key of {player}", player=by)
    else:
        why = phrase("a substitute plays, but cannot give the seat of {player} away", player=by)
    return Void(minutes.void_key(by, said, time), why)


def check_own_signature(commit: Commit, signers: bytes, who: str, void: Void, *, again: bool = True) -> None:
    """Raise NotSigned like ``check_signature``, or if the commit is signed with the *void* key of a substitute."""
    if not void.key:
        check_signature(commit, signers, who, again=again)
        return
    try:
        check_signature(commit, without_key(signers, who, void.key), who, again=again)
    except NotSigned:
        check_signature(commit, signers, who, again=again)
        why = phrase("the commit is signed by the substitute of {who}, but must be signed by {who}", who=who)
        raise NotSigned(why, hint=void.why) from None


def check_new_keys(line: TableLine, signers: bytes | None, minutes: Minutes) -> None:
    """Raise Illegal if nobody can sign with a new key, or if it already signs for somebody else.

    Nobody could tell then who has signed. A substitute's key is nobody else's, not even the player's.
    """
    said, new = line.said, dict[str, str]()
    if isinstance(said, Matter):
        new.update(said.keys)
    elif isinstance(said, Away) and said.key != minutes.substitute_key(line.by):
        new[""] = said.key
    if any(key and not _is_whole(key) for key in new.values()):
        raise Illegal(phrase("that is not a whole public SSH key"), hint=phrase("copy the file once more"))
    others = [who for whose, key in new.items() if key for who in who_signs(signers or b"", key) if who != whose]
    if others:
        message = phrase("that key already signs for {players}", players=phrase_listed(others))
        raise Illegal(message, hint=phrase("every player and every substitute needs a key of their own"))


def key_in(text: str) -> str:
    """Return kind and digits of the public key that a text or a setting of git begins with, or ""."""
    found = _KEY.match(text.strip().removeprefix("key::"))
    return found[0] if found else ""


def with_short_keys(words: str) -> str:
    """Return what was said or decided, in a line to look at: of a key at its end, only its kind and last digits."""
    if " says " in words:
        return words
    return re.sub(f"(?<= with ){_KEY.pattern}$", lambda key: f"{key[1]} ...{key[2].rstrip('=')[-8:]}", words)


def _rows(signers: bytes) -> Iterator[tuple[list[str], str]]:
    """Yield who can sign and the rest of each line of an ``allowed_signers`` file."""
    for line in signers.decode(errors="surrogateescape").splitlines():
        names, _, rest = line.partition(" ")
        yield names.split(","), rest


def who_signs(signers: bytes, key: str) -> tuple[str, ...]:
    """Return who may sign with a public key, by the text of an ``allowed_signers`` file."""
    found = (names for names, rest in _rows(signers) if (there := _KEY.search(rest)) and there[0] == key)
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def with_key(signers: bytes, who: str, key: str) -> bytes:
    """Return the text of an ``allowed_signers`` file in which *who* can sign with that key, and with no other."""
    rows = (([name for name in names if name != who], rest) for names, rest in _rows(signers))
    kept = "".join(f"{','.join(others)} {rest}\n" for others, rest in rows if others)
    return kept.encode(errors="surrogateescape") + _line(who, key)


def and_key(signers: bytes, who: str, key: str) -> bytes:
    """Return the text of an ``allowed_signers`` file with one more key with which *who* can sign, if it is not ""."""
    end = b"" if signers.endswith(b"\n") or not signers else b"\n"
    return signers + end + _line(who, key) if key else signers


def without_key(signers: bytes, who: str, key: str) -> bytes:
    """Return the text of an ``allowed_signers`` file without the key that ``and_key`` has added."""
    before, line, rest = signers.rpartition(_line(who, key))
    return before + rest if line else signers


def _line(who: str, key: str) -> bytes:
    return f'{who} namespaces="git" {key}\n'.encode()


def public_key(name: str, text: str) -> str:
    """Return kind and digits of the key in a public key file of that name; raises NotUnderstood."""
    key = _KEY.match(text.strip())
    if key is None or not re.fullmatch("(?: .*)?", text.strip()[key.end() :]):
        hint = "use the file beside the private key that ends in .pub"
        raise NotUnderstood(f"{shown(name)} must contain one public SSH key", path=shown(name), hint=hint)
    if not _is_whole(key[0]):
        hint = "copy the file once more; ssh-keygen -l -f FILE shows whether a key is whole"
        raise NotUnderstood(f"the public SSH key in {shown(name)} is damaged", path=shown(name), hint=hint)
    return key[0]


def _is_whole(key: str) -> bool:
    """Return whether a key has all that its kind has: its kind itself, and the numbers after it (RFC 4253)."""
    kind, _, digits = key.partition(" ")
    with suppress(ValueError):
        fields = strings(b64decode(digits, validate=True))
        is_cut = kind == "ssh-ed25519" and len(fields[-1]) != _ED25519
        return len(fields) > 1 and fields[0] == kind.encode() and all(fields) and not is_cut
    return False


def _wanted(signers: bytes, who: str) -> str:
    """Return a hint: with which keys *who* may sign, as ``ssh-keygen -l`` shows them, and how."""
    keys: list[str] = []
    for names, rest in _rows(signers):
        key = _KEY.search(rest)
        if key and who in names:
            with suppress(ValueError):
                digest = hashlib.sha256(b64decode(key[2])).digest()
                keys.append(f"{key[1]} SHA256:{b64encode(digest).decode().rstrip('=')}")
    if not keys:
        return phrase("{path} has no key for {who}", path=ALLOWED_SIGNERS, who=who)
    return phrase(_SIGN_WITH, who=who, keys=phrase_listed(keys, "or"))


def _ssh_keygen(action: str, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 -- a list, and no shell
            ["ssh-keygen", "-Y", action, *arguments],  # noqa: S607 -- the one on the path
            input=stdin,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        hint = "it is part of OpenSSH"
        raise NoSuchFile("the program ssh-keygen is not installed", path="ssh-keygen", hint=hint) from error


def allowed_signers(keys: Mapping[str, tuple[str, str]]) -> str:
    """Return the text of the file; *keys* maps each colour or host to the name and text of a public key file."""
    return b"".join(_line(who, public_key(name, text)) for who, (name, text) in keys.items()).decode()
