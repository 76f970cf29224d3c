"""The player of a clone, by git's setting ``pbem.player`` or by the key, and the key for signing."""

import shlex
import subprocess
from contextlib import suppress
from pathlib import Path

from pbem import files, rulings
from pbem.carriers.git.clone import Clone
from pbem.carriers.git.point import Point
from pbem.carriers.git.repository import owned_environment
from pbem.carriers.git.signing import key_in, who_signs
from pbem.errors import NoSuchFile, NotUnderstood, PbemError, UsageError
from pbem.first_sparks.clans import seats_listed
from pbem.formats import shown
from pbem.locale import phrase
from pbem.table.lines import HOST
from pbem.table.minutes import Minutes

PLAYER = "pbem.player"
_HINT = "name one with --as PLAYER, or for this clone: git config pbem.player PLAYER; the players are {players}"


def player_in(clone: Clone, point: Point, said: str, key: str = "") -> str:
    """Return the colour of the player who is *said*, or else the player of this clone; "" if nothing says which.

    If one key signs for several players, it is the one who is asked now, if it is one of them.
    """
    record = point.seated
    if said:
        return rulings.player_of(record, said)
    if named := clone.settings.get(PLAYER, ""):
        try:
            return rulings.player_of(record, named)
        except NotUnderstood as wrong:
            wrong.message = f"git's setting {PLAYER} is {shown(named)!r}, and no player has that name or colour"
            raise
    if point.signers is None:
        return ""
    mine = key_in(_public_key(clone, key))
    found = [who for who in who_signs(point.signers, mine) if who in dict(record.players)] if mine else []
    asked = record.asked
    return found[0] if len(found) == 1 else asked if asked in found and asked else ""


def known_player_in(clone: Clone, point: Point, said: str, key: str) -> str:
    """Return the colour of the player, like ``player_in``; raises NotUnderstood if nothing says who plays.

    Raises NoSuchFile if the key does not exist.
    """
    if found := player_in(clone, point, said, key):
        return found
    if key:
        signing_key(clone, key)
    if not said and point.signers is not None:
        over = no_longer(clone, point.minutes, key)
        if over:
            raise NotUnderstood(over, path="player", hint=phrase("pbem git log shows what has happened"))
    strange = point.signers is not None and key_in(_public_key(clone, key))
    message = phrase("no player of this game signs with your key") if strange else phrase("no player given")
    raise NotUnderstood(message, path="player", hint=phrase(_HINT, players=seats_listed(point.seated.players)))


def speaker_in(clone: Clone, point: Point, said: str, key: str) -> str:
    """Return the colour of the player who speaks, or ``host``, like ``known_player_in``."""
    if point.record.chance.kind == "sealed":
        if said.casefold() == HOST:
            return HOST
        signers = b"" if said else point.signers
        if signers and who_signs(signers, key_in(_public_key(clone, key)) or "?") == (HOST,):
            return HOST
    return known_player_in(clone, point, said, key)


def signs_as_substitute(clone: Clone, minutes: Minutes, who: str) -> bool:
    """Return whether the key of this clone is that of somebody who plays for *who* during an absence."""
    key = minutes.substitute_key(who)
    return bool(key) and key_in(_public_key(clone, "")) == key


def no_longer(clone: Clone, minutes: Minutes, key: str = "") -> str:
    """Return that whoever has the key of this clone is not the substitute of a player any more, "" if it never was."""
    mine = key_in(_public_key(clone, key))
    whom = next((each.whom for each in reversed(minutes.standing.absences) if mine and each.said.key == mine), "")
    if not whom or minutes.substitute_key(whom) == mine:
        return ""
    if minutes.standing.absence(whom) is None:
        return phrase("{player} is back, so you are not the substitute of {player} any more", player=whom)
    return phrase("you are not the substitute of {player} any more", player=whom)


def signing_key(clone: Clone, key: str) -> str:
    """Return the key to sign with as git takes it, "" for that of git's settings.

    Raises UsageError without any key, and NoSuchFile for one that does not exist.
    """
    if key:
        path = Path(key).expanduser().absolute()
        if not path.exists():
            raise NoSuchFile(f"the key {shown(key)} does not exist", path=shown(key), hint="--key ~/.ssh/id_ed25519")
        return str(path)
    own = clone.settings.get("user.signingkey", "")
    hint = "--key ~/.ssh/id_ed25519, or git config user.signingkey ~/.ssh/id_ed25519"
    if not own and not clone.settings.get("gpg.ssh.defaultkeycommand"):
        raise UsageError("moves must be signed in this game, and no key was given", hint=hint)
    if own and not key_in(own) and not _path(clone, own).exists():
        raise NoSuchFile(f"git's setting user.signingkey names {shown(own)}, which does not exist", path=own, hint=hint)
    return ""


def _public_key(clone: Clone, key: str) -> str:
    """Return the text of the public key that signs here, or ""."""
    own = key or clone.settings.get("user.signingkey", "")
    if not own:
        return _default_key(clone)
    if key_in(own):
        return own
    path = Path(key).expanduser().absolute() if key else _path(clone, own)
    for place in (path.with_name(f"{path.name}.pub"), path):
        with suppress(PbemError):
            text = files.read_text(place, 1 << 14)
            if key_in(text):
                return text
    return ""


def _path(clone: Clone, said: str) -> Path:
    """Return the path that git's settings name; a path that is not absolute begins at the top of the clone."""
    return clone.folder / Path(said).expanduser()


def _default_key(clone: Clone) -> str:
    """Return the first key that ``gpg.ssh.defaultKeyCommand`` prints, as git takes it if no other key is named."""
    command = clone.settings.get("gpg.ssh.defaultkeycommand", "")
    with suppress(OSError, ValueError):
        words = shlex.split(command)
        if words:
            env = owned_environment()
            done = subprocess.run(words, cwd=clone.folder, env=env, capture_output=True, check=False)  # noqa: S603 -- git runs it too
            return done.stdout.decode(errors="replace").partition("\n")[0]
    return ""
