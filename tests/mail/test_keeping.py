"""A club that is kept running: the units for systemd, the watchdog, the lines for cron, and the container."""

import os
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from clubs import an_order, the_record
from nobody import ROOT, as_nobody, find_python
from people import reply
from servers import wait_until
from test_recipes import RECIPES, club, given_to_nobody, program, question, recipe

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.setup import own_club
from pbem.club.upkeep.backup import restore

__all__ = ["club", "program"]  # fixtures
CONTAINERFILE = RECIPES / "Containerfile"


@pytest.mark.needs("systemd-analyze", "root")
@pytest.mark.parametrize("name", ["pbem.service", "pbem-backup.service", "pbem-backup.timer"])
def test_systemd_knows_every_word_of_a_unit(name: str, club: MailClub, program: str, open_folder: Path) -> None:
    for path in RECIPES.glob("pbem*.*"):
        (open_folder / path.name).write_text(recipe(path.name, club, program))

    found = subprocess.run(
        ["systemd-analyze", "verify", open_folder / name], capture_output=True, text=True, check=False, timeout=60
    )

    ours = [line for line in (found.stdout + found.stderr).splitlines() if "pbem" in line]
    assert (found.returncode, ours) == (0, [])


@pytest.mark.needs("systemd-analyze", "root")
def test_systemd_knows_every_word_of_the_unit_of_a_user_without_root(program: str, open_folder: Path) -> None:
    """In which the paths are those of the guide, below the home folder."""
    (open_folder / "home" / "pbem" / "bin").mkdir(parents=True)
    (open_folder / "home" / "pbem" / "bin" / "pbem").symlink_to(program)
    unit = open_folder / "pbem.service"
    shutil.copy(RECIPES / "pbem-user.service", unit)
    (open_folder / "run").mkdir()
    shutil.chown(open_folder / "run", "nobody")
    where = [f"HOME={open_folder}/home", f"XDG_RUNTIME_DIR={open_folder}/run"]

    found = as_nobody(["env", *where, "systemd-analyze", "--user", "verify", str(unit)], timeout=60)
    (open_folder / "home" / "pbem" / "bin" / "pbem").unlink()
    without = as_nobody(["env", *where, "systemd-analyze", "--user", "verify", str(unit)], timeout=60)

    assert (found.stdout + found.stderr, found.returncode) == (b"", 0)
    assert f"Command {open_folder}/home/pbem/bin/pbem is not executable".encode() in without.stderr


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize("name", ["pbem.service", "pbem-backup.service"])
def test_a_service_may_do_little_besides(name: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=30", RECIPES / name]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert found.returncode == 0, found.stdout[-200:]


@pytest.mark.needs("root")
@pytest.mark.parametrize("name", ["pbem.service", "pbem-user.service"])
def test_the_service_says_that_it_is_ready_and_alive(
    name: str, club: MailClub, program: str, open_folder: Path
) -> None:
    start = re.search(r"(?m)^ExecStart=(.*)$", recipe(name, club, program))
    assert start is not None
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(open_folder / "s"))
        (open_folder / "s").chmod(0o777)
        manager.settimeout(120)
        asked = question(club)
        (club.folder / "inbox" / "new" / "1").write_bytes(reply(asked, an_order(asked)))
        given_to_nobody(club)
        environment = os.environ | {"NOTIFY_SOCKET": str(open_folder / "s")}
        with subprocess.Popen(
            shlex.split(start[1]), user="nobody", group="nogroup", cwd="/", stdout=subprocess.PIPE, env=environment
        ) as service:
            said = manager.recv(1000).decode().splitlines()
            service.terminate()
            service.wait(60)

    assert said[:2] == ["READY=1", "WATCHDOG=1"]
    assert said[2].startswith("STATUS=1 message processed")
    assert the_record(club).turn == 1


@pytest.mark.needs("root")
def test_the_nightly_backup(club: MailClub, program: str, open_folder: Path) -> None:
    unit = recipe("pbem-backup.service", club, program).replace("/var/lib/pbem", str(open_folder))
    line = re.search(r"(?m)^ExecStart=((?:.*\\\n)*.*)$", unit)
    assert line is not None
    backups = open_folder / "backups"
    backups.mkdir()
    shutil.chown(backups, "nobody")
    old = backups / "club-2020-01-01.tar.gz"
    old.touch()
    os.utime(old, (0, 0))
    words = shlex.split(line[1].replace("\\\n", " ").replace("%%", "%").replace("$$", "$"))

    done = as_nobody(words)

    assert done.returncode == 0, done
    (made,) = backups.iterdir()
    restore(made, open_folder / "copy", own_club)
    assert the_record(own_club(open_folder / "copy")) == the_record(club)


# The container


def steps() -> Iterator[tuple[str, str]]:
    """Yield the instructions of the Containerfile, each with its words."""
    for line in CONTAINERFILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, words = line.partition(" ")
            yield name, words


@pytest.mark.needs("builder")
@pytest.mark.slow
def test_the_container_is_built_and_runs() -> None:
    builder = next(name for name in ("podman", "docker", "buildah") if shutil.which(name))
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    command = [builder, "build", "--tag", "pbem-test", "--file", "examples/by-mail/Containerfile", "-"]
    subprocess.run(command, input=archive, capture_output=True, check=True, timeout=1200)
    run = [builder, "run", "--rm", "--volume", "pbem-test:/data", "pbem-test"]
    try:
        words = ["mail", "init", "/data/club", "--address", "pbem@example.org", "--host", "you@example.org"]
        subprocess.run([*run, *words], check=True, timeout=600)
        done = subprocess.run([*run, "mail", "doctor", "/data/club"], capture_output=True, check=False, timeout=600)
        assert b"all is well" in done.stdout
    finally:
        subprocess.run([builder, "volume", "rm", "pbem-test"], check=False, capture_output=True)


@pytest.mark.needs("root")
@pytest.mark.slow
def test_the_steps_of_the_container_work_in_an_empty_folder(open_folder: Path) -> None:
    """As a user without rights, who is also the one that the container has: only what makes that user is left out."""
    source = open_folder / "src"
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(lambda name: (ROOT / name).is_file(), names):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    (open_folder / "opt").mkdir()
    (open_folder / "data").mkdir()
    for path in (open_folder, *open_folder.rglob("*")):
        shutil.chown(path, "nobody")
    (open_folder / "data").chmod(0o700)
    found = list(steps())

    def here(words: str) -> str:
        return re.sub(r"(?<![\w/])/(?=src|opt|data)", f"{open_folder}/", words)

    def ran(words: str) -> str:
        script = f"export HOME={open_folder}/data\nset -e\n{here(words)}\n"
        done = as_nobody(["/bin/sh", "-c", script.replace("python -m", f"{find_python()} -m")])
        assert done.returncode == 0, done
        return done.stdout.decode()

    for name, words in found:
        if name == "RUN" and "useradd" not in words:
            ran(words)
    (entry,) = (re.sub(r'[\[\]",]', "", words) for name, words in found if name == "ENTRYPOINT")
    (check,) = (words.partition("CMD ")[2] for name, words in found if name == "HEALTHCHECK")
    (command,) = (re.sub(r'[\[\]",]', "", words) for name, words in found if name == "CMD")

    ran(f"{entry} mail init /data/club --address pbem@example.org --host you@example.org")
    assert "all is well" in ran(f"{entry} mail doctor /data/club")
    with subprocess.Popen(here(f"{entry} {command}").split(), user="nobody", group="nogroup", cwd="/") as service:
        wait_until((open_folder / "data" / "club" / "health.toml").exists, what="a round")
        service.terminate()
        assert service.wait(60) == 130
    ran(check)
    assert not source.exists()


@pytest.mark.needs("root")
def test_the_lines_for_cron(club: MailClub, program: str, open_folder: Path) -> None:
    """They are what a shell gets from cron, in which a bare percent sign would end the command."""
    guide = (RECIPES / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^[*0-9]\S* \S+ \* \* \* (\$HOME/\S+ mail (?:run|backup) .*)$", guide)
    asked = question(club)
    (club.folder / "inbox" / "new" / "1").write_bytes(reply(asked, an_order(asked)))
    home = open_folder / "home"
    (home / "pbem" / "bin").mkdir(parents=True)
    (home / "pbem" / "bin" / "pbem").symlink_to(program)
    club.folder.rename(home / "club")
    for path in (home, *home.rglob("*")):
        shutil.chown(path, "nobody")

    for line in lines:
        assert "%" not in line.replace(r"\%", "")
        done = as_nobody(["env", "-i", f"HOME={home}", "/bin/sh", "-c", line.replace(r"\%", "%")])
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")  # whatever is said, cron sends by mail

    assert len(lines) == 2
    assert the_record(club.changed(folder=home / "club")).turn == 1
    (made,) = home.glob("*.gz")
    assert re.fullmatch(r"club-\d{4}-\d\d-\d\d\.tar\.gz", made.name)
