"""Signatures that are checked in this process: it finds valid what ``ssh-keygen`` does, and nothing else."""

import subprocess
from base64 import b64decode, b64encode
from pathlib import Path
from random import Random

import pytest
from gits import keys_of, needs_ssh

from pbem.git import ed25519
from pbem.git.ed25519 import is_valid
from pbem.git.repository import Commit
from pbem.git.signing import allowed_signers, check_signature

pytestmark = needs_ssh
MESSAGE = b"tree 0\n\na move\n"
BEGIN, END = b"-----BEGIN SSH SIGNATURE-----\n", b"-----END SSH SIGNATURE-----\n"


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


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer(tmp_path_factory.mktemp("keys"))


@pytest.mark.skipif(ed25519._openssl() is None, reason="OpenSSL's library is not here by the names that we know")
def test_a_right_signature_is_valid_without_ssh_keygen(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    signature = signer.sign("red")
    assert is_valid(signature, MESSAGE, signer.signers, "red")
    assert is_valid(signer.sign("red", MESSAGE, "git", "-Ohashalg=sha256"), MESSAGE, signer.signers, "red")

    monkeypatch.setenv("PATH", str(signer.folder))  # where no ssh-keygen is
    check_signature(Commit("", "", (), "", 0, signature.strip(), MESSAGE), signer.signers, "red", again=False)


def test_any_other_signature_is_not(signer: Signer) -> None:
    right = signer.sign("red")

    assert not is_valid(right, MESSAGE + b" ", signer.signers, "red")
    assert not is_valid(right, MESSAGE, signer.signers, "blue")
    assert not is_valid(right, MESSAGE, signer.signers, "re.")
    assert not is_valid(signer.sign("blue"), MESSAGE, signer.signers, "red")
    assert not is_valid(signer.sign("red", namespace="file"), MESSAGE, signer.signers, "red")
    assert not is_valid(b"", MESSAGE, signer.signers, "red")
    assert not is_valid(right, MESSAGE, b"", "red")
    commented = signer.signers.replace(b"red ", b"# red ")
    assert not is_valid(right, MESSAGE, commented, "red")
    for option in (b'namespaces="file"', b"cert-authority", b'namespaces="git",valid-before="19700101"'):
        assert not is_valid(right, MESSAGE, signer.signers.replace(b'namespaces="git"', option), "red")


def test_no_changed_byte_makes_a_valid_signature(signer: Signer) -> None:
    random = Random(1)
    data = b64decode(signer.sign("red").removeprefix(BEGIN).removesuffix(END))
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
        text = b64encode(bytes(changed))
        assert not is_valid(BEGIN + text + b"\n" + END, MESSAGE, signer.signers, "red")


def test_without_the_library_ssh_keygen_is_asked(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ed25519, "_openssl", lambda: None)
    signature = signer.sign("red")

    assert not is_valid(signature, MESSAGE, signer.signers, "red")
    check_signature(Commit("", "", (), "", 0, signature.strip(), MESSAGE), signer.signers, "red")
