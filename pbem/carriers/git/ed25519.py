"""Whether an SSH signature with an Ed25519 key is valid, found in this process; this needs the extra ``[git]``.

``ssh-keygen`` takes one signature a run, and to start it takes most of the time that the proof of a whole game takes.
So a signature of the usual form is checked here by the library ``cryptography``, if it is installed; what is not found
valid here is left to ``ssh-keygen``, which has the last word. Format: PROTOCOL.sshsig of OpenSSH.
"""

import hashlib
import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from typing import Final

_ARMOURED: Final = re.compile(rb"-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]+\n)+)-----END SSH SIGNATURE-----\n?")
_HEAD: Final = b"SSHSIG" + (1).to_bytes(4, "big")
_KIND: Final = b"ssh-ed25519"
_HASHES: Final = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}


def is_valid(armoured: bytes, signed: bytes, signers: bytes, who: str) -> bool:
    """Return whether a signature of git is known to be valid: *who* has its key in the text of ``allowed_signers``.

    False says nothing: the signature may have another form, or the extra ``[git]`` may not be installed.
    """
    found = _ARMOURED.fullmatch(armoured)
    if found is None:
        return False
    text = found[1].replace(b"\n", b"")
    try:
        data = b64decode(text)
        key, namespace, reserved, algorithm, signature = strings(data.removeprefix(_HEAD))
        (kind, raw), (said, number) = strings(key), strings(signature)
    except (NotBase64, ValueError):
        return False
    line = b'%s namespaces="git" %s %s' % (who.encode(), _KIND, b64encode(key))
    if b64encode(data) != text or not data.startswith(_HEAD) or line not in signers.split(b"\n"):
        return False
    if (kind, said, namespace, reserved) != (_KIND, _KIND, b"git", b"") or algorithm not in _HASHES:
        return False
    digest = _HASHES[algorithm](signed).digest()
    return _verified(raw, number, b"SSHSIG" + b"".join(map(_string, (namespace, reserved, algorithm, digest))))


def strings(data: bytes) -> tuple[bytes, ...]:
    """Return the strings of which data consists, each with its length before it; raises ValueError if it does not."""
    found: list[bytes] = []
    while data:
        length = int.from_bytes(data[:4], "big")
        if len(data) < 4 + length:
            raise ValueError
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    return tuple(found)


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _verified(key: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether the library finds that the signature of a message was made with the key."""
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return False
    try:
        # Its loader of SSH keys knows every kind of key, and to import it takes ten times as long.
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True
