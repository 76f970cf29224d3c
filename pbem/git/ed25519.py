"""Whether an SSH signature with an Ed25519 key is valid, asked of OpenSSL in this process.

``ssh-keygen`` takes one signature a run, and to start it takes most of the time that the proof of a whole game takes.
So a signature of the usual form is checked here, where OpenSSL's library is; what this does not find valid, or does
not know, is left to ``ssh-keygen``, which has the last word. Format: PROTOCOL.sshsig of OpenSSH.
"""

import hashlib
import re
import sys
from base64 import b64decode
from binascii import Error as NotBase64
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ctypes import CDLL

_NAMES: Final = ("libcrypto.so.3", "libcrypto.so.1.1")
_ARMOURED: Final = re.compile(rb"-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]+\n)+)-----END SSH SIGNATURE-----\n?")
_MAGIC: Final = b"SSHSIG"
_KIND: Final = b"ssh-ed25519"
_HASHES: Final = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_TYPE: Final = 1087  # what OpenSSL calls EVP_PKEY_ED25519
_KEY_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64


def is_valid(armoured: bytes, signed: bytes, signers: bytes, who: str) -> bool:
    """Return whether a signature of git is known to be valid: *who* has its key in the text of ``allowed_signers``.

    False says nothing: the signature may have another form, or OpenSSL may not be here.
    """
    found = _ARMOURED.fullmatch(armoured)
    if found is None:
        return False
    try:
        key, namespace, reserved, algorithm, signature = _parts(b64decode(found[1].replace(b"\n", b""), validate=True))
        (kind, raw), (said, number) = _strings(key, 2), _strings(signature, 2)
    except (NotBase64, ValueError):
        return False
    line = rb'%s namespaces="git" ssh-ed25519 ([A-Za-z0-9+/]+=*)' % re.escape(who.encode())
    listed = {b64decode(one) for one in re.findall(rb"(?m)^" + line + rb"$", signers) if not len(one) % 4}
    if namespace != b"git" or reserved or algorithm not in _HASHES or key not in listed:
        return False
    if (kind, said) != (_KIND, _KIND) or (len(raw), len(number)) != (_KEY_BYTES, _SIGNATURE_BYTES):
        return False
    digest = _HASHES[algorithm](signed).digest()
    return _verified(raw, number, _MAGIC + b"".join(map(_string, (namespace, reserved, algorithm, digest))))


def _parts(data: bytes) -> tuple[bytes, ...]:
    """Return the key, namespace, reserved string, hash and signature; raises ValueError for another signature."""
    head = _MAGIC + (1).to_bytes(4, "big")
    return _strings(data.removeprefix(head) if data.startswith(head) else b"", 5)


def _strings(data: bytes, number: int) -> tuple[bytes, ...]:
    """Return that number of strings, each with its length before it; raises ValueError unless they are all."""
    found: list[bytes] = []
    for _ in range(number):
        length = int.from_bytes(data[:4], "big")
        if len(data) < 4 + length:
            raise ValueError
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    if data:
        raise ValueError
    return tuple(found)


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


@cache
def _openssl() -> "CDLL | None":
    """Return OpenSSL's library, where it has a name that can be relied on."""
    if sys.platform != "linux":
        return None
    import ctypes

    for name in _NAMES:
        try:
            library = ctypes.CDLL(name)
            library.EVP_PKEY_new_raw_public_key.restype = ctypes.c_void_p
            library.EVP_MD_CTX_new.restype = ctypes.c_void_p
            assert library.EVP_DigestVerify
        except (OSError, AttributeError):
            continue
        return library
    return None


def _verified(key: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether OpenSSL finds that the signature of a message was made with the key."""
    openssl = _openssl()
    if openssl is None:
        return False
    from ctypes import c_char_p, c_int, c_size_t, c_void_p

    public = openssl.EVP_PKEY_new_raw_public_key(c_int(_TYPE), c_void_p(), c_char_p(key), c_size_t(len(key)))
    context = openssl.EVP_MD_CTX_new()
    try:
        if not public or not context:
            return False
        nothing = c_void_p()
        if openssl.EVP_DigestVerifyInit(c_void_p(context), nothing, nothing, nothing, c_void_p(public)) != 1:
            return False
        counted = (c_char_p(signature), c_size_t(len(signature)), c_char_p(message), c_size_t(len(message)))
        valid: int = openssl.EVP_DigestVerify(c_void_p(context), *counted)
        return valid == 1
    finally:
        openssl.EVP_MD_CTX_free(c_void_p(context))
        openssl.EVP_PKEY_free(c_void_p(public))
