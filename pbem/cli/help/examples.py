"""How each command is typed: the examples at the end of its help and in the manual page."""

from typing import Final

_OF_HOSTS: Final[dict[str, tuple[str, ...]]] = {
    "doctor": ("{family} doctor CLUB",),
    "backup": ("{family} backup CLUB club.tar.gz",),
    "restore": ("{family} restore club.tar.gz CLUB",),
    "status": ("{family} status CLUB",),
    "replace": ("{family} replace CLUB friday Bob Robbie=bot",),
    "answer": ('{family} answer CLUB friday "offer 12"',),
    "absent": ("{family} absent CLUB friday Bob --until 2026-12-24 --substitute bot",),
    "back": ("{family} back CLUB friday Bob",),
    "pause": ("{family} pause CLUB friday",),
    "resume": ("{family} resume CLUB friday",),
    "takeback": ("{family} takeback CLUB friday --to 42",),
    "resend": ("{family} resend CLUB friday",),
    "rebuild": ("{family} rebuild CLUB friday -o rebuilt.toml",),
    "clock": ('{family} clock CLUB friday --deadline "5 days" --then answer',),
}

# By the words of the command; ``pbem`` comes before each line. Files of a game are game.toml, and a club is CLUB.
EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "": (
        "new game.toml Ann:red Bob:blue Cara:green --board recommended",
        "options game.toml",
        'play game.toml --as green --order "add B2c"',
        "help play",
    ),
    "new": (
        "new game.toml Ann:red Bob:blue Cara:green",
        "new game.toml Ann:red Bob:blue --chance shared --as Ann",
        "new alone.toml Ann bot bot --board recommended --chance open",
    ),
    "join": ("join game.toml --as Bob",),
    "draw": ("draw game.toml --as Bob", "draw game.toml --as Bob --new-secret"),
    "play": (
        'play game.toml --as red --order "offer 12"',
        "play game.toml answer.txt --as red -o next.toml",
        "play alone.toml --as Ann --order stay --bots",
    ),
    "check": ('check game.toml --as red --order "offer 12"', "check --batch moves.ndjson --jobs 4"),
    "show": ("show game.toml --as red", "show game.toml --json"),
    "options": ("options game.toml", 'options game.toml --after "offer 12"'),
    "bot": ("bot game.toml",),
    "plan": (
        'plan game.toml --as red "14 19 else pass"',
        "plan game.toml --as red suggest",
        "plan game.toml --as red --forget",
    ),
    "replay": ("replay game.toml --to 12", "replay game.toml --html -o game.html"),
    "verify": ("verify game.toml --since before.toml", "verify archive --jobs 4"),
    "diff-engines": ("diff-engines digests.ndjson archive --store", "diff-engines digests.ndjson archive"),
    "stats": ("stats archive", "stats archive --html", "stats archive --parquet tables --jobs 4"),
    "simulate": (
        "simulate --games 1000 --jobs 4",
        "simulate --bots bot,bot,random --components box.toml --parquet tables",
        "simulate --games 1000000 --cluster tcp://10.0.0.1:8786 --keep million",
    ),
    "reveal": ("reveal game.toml",),
    "audit": ("audit game.toml",),
    "board": ("board game.toml --svg", "board game.toml --png -o board.png"),
    "convert": ("convert game.toml game.json",),
    "rules": ("rules R4.3", "rules rotten food", "rules --rulings"),
    "components": ("components", "components --format toml", "components --check box.toml"),
    "schema": ("schema game", "schema answer --bundle"),
    "help": ("help play", "help git move"),
    "git": (
        "git init friday Ann:red Bob:blue Cara:green --as Ann",
        'git move --as red --order "offer 12"',
        "git log",
    ),
    "git init": (
        "git init friday Ann:red Bob:blue Cara:green --as Ann",
        "git init friday Ann:red Bob:blue --as Ann --key Ann=ann.pub --key Bob=bob.pub",
    ),
    "git move": ('git move --as red --order "offer 12"', "git move answer.txt --as red --key ~/.ssh/id_ed25519"),
    "git join": ("git join --as Bob",),
    "git draw": ("git draw", "git draw --secret ../game.secret.toml"),
    "git status": ("git status", "git status --as Bob"),
    "git pushed": ("git pushed < pushed.txt",),
    "git check": ("git check HEAD~3 HEAD", "git check --staged"),
    "git log": ("git log", "git log HEAD~10"),
    "git note": ('git note "Well played!"', "git note - < letter.txt"),
    "git takeback": ("git takeback", 'git takeback --to 55 -m "I misread the board."'),
    "git exclude": ("git exclude Bob",),
    "git replace": ("git replace Bob Zoe zoe.pub", "git replace Bob Zoe"),
    "git change-key": ("git change-key ~/.ssh/new.pub", "git change-key --player Bob bob.pub"),
    "git absent": ("git absent --until 2026-12-31", "git absent --substitute Dora dora.pub"),
    "git pause": ('git pause -m "Until the holidays are over."',),
    "git clock": ('git clock "3 days" --then answer', "git clock off"),
    "git more-time": ('git more-time 2026-12-31 -m "Until the holidays are over."',),
    "git answer": ("git answer", "git answer pass --as host"),
    "git agree": ("git agree", "git agree Ann"),
    "git hook": ("git hook pre-receive --install server.git", "git hook pre-commit --install ."),
    "mail": (
        "mail init CLUB --address pbem@example.org --host you@example.org",
        "mail new CLUB friday Ann:red=ann@example.org Bob:blue=bob@example.net",
        "mail run CLUB --watch",
    ),
    "mail init": (
        "mail init CLUB --address pbem@example.org --host you@example.org",
        "mail init CLUB --address pbem@example.org --host you@example.org --provider fastmail",
    ),
    "mail new": (
        "mail new CLUB friday Ann:red=ann@example.org Bob:blue=bob@example.net",
        "mail new CLUB saturday Ann=ann@example.org --seats 3",
    ),
    "mail take": ("mail take CLUB --send < reply.eml",),
    "mail run": ("mail run CLUB --watch", "mail run CLUB --once --now $(date -Is)"),
    "mail send": ("mail send CLUB",),
    "mail tick": ("mail tick CLUB --now $(date -Is)",),
    "mail retry": ("mail retry CLUB",),
    "club": ("club init CLUB --host Eve", "club new CLUB friday Ann:red Bob:blue", "club run CLUB"),
    "club init": ("club init CLUB --host Eve",),
    "club new": ("club new CLUB friday Ann:red Bob:blue --board recommended",),
    "club run": ("club run CLUB", "club run CLUB --now $(date -Is)"),
    **{
        f"{family} {name}": tuple(line.format(family=family) for line in lines)
        for family in ("mail", "club")
        for name, lines in _OF_HOSTS.items()
    },
}


def examples_of(command: str) -> tuple[str, ...]:
    """Return the examples of a command, without ``pbem``: by default the command alone."""
    return EXAMPLES.get(command, (command,))


def epilog(command: str) -> str:
    """Return the examples of a command as the end of its help, line by line."""
    return "\n".join(("\b", "Examples:", *(f"  pbem {line}" for line in examples_of(command))))
