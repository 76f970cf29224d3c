"""Signatures that are checked in this process: it finds valid what ``ssh-keygen`` does, and nothing else."""

import subprocess
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from random import Random

import pytest
from gits import keys_of, needs_ssh

from pbem.carriers.git.ed25519 import is_valid
from pbem.carriers.git.repository import Commit
from pbem.carriers.git.signing import allowed_signers, check_signature
from pbem.errors import NotSigned

pytestmark = needs_ssh
MESSAGE = b"tree 0\n\na move\n"
BEGIN, END = b"-----BEGIN SSH SIGNATURE-----\n", b"-----END SSH SIGNATURE-----\n"
LIBRARY = "cryptography.hazmat.primitives.asymmetric.ed25519"
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group in which Ed25519 computes


class Signer:
    """Two keys of a game, and how to sign with them."""

    def __init__(self, folder: Path) -> None:
        """Make the keys."""
        self.folder, self.keys = folder, keys_of(folder, "red", "blue")
        names = {who: (who, path.with_suffix(".pub").read_text(encoding="utf-8")) for who, path in self.keys.items()}
        self.signers = allowed_signers(names).encode()

    def sign(self, who: str, message: bytes = MESSAGE, namespace: str = "git", *options: str) -> bytes:
        """Return a signature."""
        command = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", str(self.keys[who]), *options]
        return subprocess.run(command, input=message, capture_output=True, check=True).stdout

    def forgeries(self) -> dict[str, tuple[bytes, bytes]]:
        """Return signatures for red, and the signers that they are checked with; some are odd and valid."""
        right, signers = self.sign("red"), self.signers
        data, line = b64decode(bare(right)), signers.splitlines()[0] + b"\n"
        key, start, number = data[33:65], data[:-32], int.from_bytes(data[-32:], "little")
        weak, point = (1).to_bytes(32, "little"), b"\x58" + b"\x66" * 31  # with that key this signs every message
        letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        padded = bare(right).rstrip(b"=")
        other = b"%s%c=" % (padded[:-1], letters[letters.index(padded[-1]) ^ 1])
        weak_line = b'red namespaces="git" ssh-ed25519 ' + b64encode(data[14:33] + weak) + b"\n"
        changed = {
            "right": right,
            "with SHA-256": self.sign("red", MESSAGE, "git", "-Ohashalg=sha256"),
            "of blue": self.sign("blue"),
            "of another text": self.sign("red", MESSAGE + b" "),
            "for files": self.sign("red", namespace="file"),
            "nothing": BEGIN + END,
            "in one line": BEGIN + bare(right) + b"\n" + END,
            "bits in the padding": BEGIN + other + b"\n" + END,
            "with carriage returns": right.replace(b"\n", b"\r\n"),
            "with text behind": right + b"more\n",
            "with a byte behind": armoured(data + b"\0"),
            "of version 0": armoured(data.replace(b"SSHSIG\0\0\0\1", b"SSHSIG\0\0\0\0")),
            "with another hash": armoured(data.replace(b"sha512", b"sha256")),
            "a byte short": armoured(data[:-65] + (63).to_bytes(4, "big")[-1:] + data[-64:-1]),
            "with more than the order": armoured(start + (number + ORDER).to_bytes(32, "little")),
            "with far more than the order": armoured(start + ((number + 15 * ORDER) % 2**256).to_bytes(32, "little")),
            "with another key": armoured(data.replace(key, key[:-1] + bytes([key[-1] ^ 1]))),
        }
        keys = {
            "no signers": b"",
            "a comment": b"# " + signers,
            "for files": signers.replace(b'namespaces="git"', b'namespaces="file"'),
            "an authority": signers.replace(b'namespaces="git"', b"cert-authority"),
            "expired": signers.replace(b'"git"', b'"git",valid-before="19700102"'),
            "expired before": line.replace(b'"git"', b'"git",valid-before="19700102"') + signers,
            "tabs": signers.replace(b" ", b"\t"),
            "carriage returns": signers.replace(b"\n", b"\r\n"),
            "a comment behind": line[:-1] + b" me\n",
            "a NUL": b"\0" + line,
            "an open quote": b'"red\n' + signers,
            "all but red": b"!" + line,
        }
        return {
            **{name: (signature, signers) for name, signature in changed.items()},
            **{f"signers: {name}": (right, text) for name, text in keys.items()},
            "with a weak key": (armoured(data.replace(key, weak)[:-64] + point + weak), weak_line),
        }


def bare(signature: bytes) -> bytes:
    """Return the base64 of a signature in one line."""
    return signature.removeprefix(BEGIN).removesuffix(END).replace(b"\n", b"")


def armoured(data: bytes) -> bytes:
    return BEGIN + b64encode(data) + b"\n" + END


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer(tmp_path_factory.mktemp("keys"))


def is_accepted(signature: bytes, signers: bytes, *, again: bool) -> bool:
    """Return the verdict of a check; only one that is done *again* asks ``ssh-keygen`` in any case."""
    try:
        check_signature(Commit("", "", (), "", 0, signature.strip(), MESSAGE), signers, "red", again=again)
    except NotSigned:
        return False
    return True


@pytest.mark.needs("cryptography")
def test_a_right_signature_is_valid_without_ssh_keygen(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    signature = signer.sign("red")
    assert is_valid(signature, MESSAGE, signer.signers, "red")
    assert is_valid(signer.sign("red", MESSAGE, "git", "-Ohashalg=sha256"), MESSAGE, signer.signers, "red")

    monkeypatch.setenv("PATH", str(signer.folder))  # where no ssh-keygen is
    check_signature(Commit("", "", (), "", 0, signature.strip(), MESSAGE), signer.signers, "red", again=False)


@pytest.mark.slow
@pytest.mark.parametrize("library", [pytest.param(True, marks=pytest.mark.needs("cryptography")), False])
def test_every_forgery_gets_the_verdict_of_ssh_keygen(
    signer: Signer, library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not library:
        monkeypatch.setitem(sys.modules, LIBRARY, None)
    here = set()
    for name, (signature, signers) in signer.forgeries().items():
        wanted = is_accepted(signature, signers, again=True)

        assert is_accepted(signature, signers, again=False) == wanted, name
        if is_valid(signature, MESSAGE, signers, "red"):
            assert wanted, name
            here.add(name)
    common = {"right", "with SHA-256", "in one line", "signers: expired before", "signers: an open quote"}
    assert here == ({*common, "with a weak key"} if library else set())


def test_any_other_signature_is_not(signer: Signer) -> None:
    right = signer.sign("red")

    assert not is_valid(right, MESSAGE + b" ", signer.signers, "red")
    assert not is_valid(right, MESSAGE, signer.signers, "blue")
    assert not is_valid(right, MESSAGE, signer.signers, "re.")
    assert not is_valid(b"", MESSAGE, signer.signers, "red")


def test_no_changed_byte_makes_a_valid_signature(signer: Signer) -> None:
    random = Random(1)
    data = b64decode(bare(signer.sign("red")))
    for _ in range(2000):
        changed = bytearray(data)
        kind = random.randrange(3)
        at = random.randrange(len(changed))
        if kind == 0:
            changed[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            del changed[at:]
        else:
            changed[at:at] = bytes([random.randrange(256)])
        assert not is_valid(armoured(bytes(changed)), MESSAGE, signer.signers, "red")
