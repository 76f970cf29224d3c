"""People around a game: what each of them does next, chosen at random by how often such people do such things."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from bots import a_sensible_choice
from world import PROGRAMS, Action, ClubWorld, GitWorld, World

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.together import as_asked
from pbem.first_sparks.record import Record

NAMES = ("Ann", "Bob", "Cy", "Dora", "Eve", "Finn")
COLOURS = ("red", "blue", "green", "yellow", "black", "white")
_MAIL = Path(__file__).parents[1] / "mail"
_PHRASES = tomllib.loads((_MAIL / "phrases.toml").read_text(encoding="utf-8"))
_PHRASED = [phrase for part in _PHRASES.values() for phrase in part]
_PLANNED = [
    plan for part in tomllib.loads((_MAIL / "plans.toml").read_text(encoding="utf-8")).values() for plan in part
]
_TALK = [line for line in (_MAIL / "talk.txt").read_text(encoding="utf-8").splitlines() if line.strip()]
_REQUESTS = (
    *(
        "help",
        "help plans",
        "show",
        "options",
        "suggest",
        "rules",
        "rules rot",
        "rules R4.5",
        "how do I win?",
        "news every",
    ),
    *(
        "news turn",
        "news none",
        "stop",
        "plain",
        "plain off",
        "note red wants the fire",
        "note",
        "try offer 9",
        "try pass",
    ),
    *("try spread B2a; stay", "rules zebra", "help me, please", "how does the player order work?", "news often"),
    *(
        "join friday Zoe",
        "plan",
        "plan show",
        "plan forget",
        "show\noptions\nhelp",
        "wait",
        "suggest a plan",
        "options please",
    ),
)
_AWAY = (
    *(
        "absent",
        "away until 15 Jan 2027",
        "absent until 2026-12-31",
        "I am away until Fri 27 Nov",
        "back",
        "I am back",
        "back",
    ),
    *(
        "absent until 2027-08-01",
        "absent until 2020-01-01",
        "hi, I will be absent until 2026-11-30, thanks",
        "absent until soon",
    ),
)
_MOTIONS = (
    *(
        "take back",
        "can I take back my move?",
        "undo my last move",
        "go on without {name}",
        "let's continue without {name}",
    ),
    *(
        "agree",
        "I agree",
        "agree to take back",
        "object",
        "I disagree",
        "withdraw",
        "withdraw my wish",
        "no",
        "yes",
        "ok",
    ),
    *("go on without nobody", "take back\nSorry, a slip of the pen", "I agree\nbut only once"),
)
_ENDS = ("resign", "yes", "yes", "I resign from the game", "agree end", "agreed to end the game", "agree", "no")
_ODD = (
    "From: {who}\nTo: pbem@example.org\nSubject: Out of office\nMessage-ID: <{n}@o>\nAuto-Submitted: auto-replied\n\nAway.\n",
    "From: {who}\nTo: pbem@example.org\nSubject: hello\nMessage-ID: <{n}@o>\n\n{order}\n",
    "From: stranger@s.example\nTo: pbem@example.org\nSubject: join friday Zoe\nMessage-ID: <{n}@o>\n\njoin friday Zoe\n",
    "From: stranger@s.example\nTo: pbem@example.org\nSubject: who are you\nMessage-ID: <{n}@o>\n\nWhat is this?\n",
    "From: {who}\nTo: pbem@example.org\nSubject: friday\nMessage-ID: <{n}@o>\nContent-Type: text/html\n\n<p>{order}</p>\n",
    "From: {who}\nTo: pbem@example.org\nSubject: \nMessage-ID: <{n}@o>\n\n\n",
    "From: {who}\nSubject: =?utf-8?b?zz=\nMessage-ID: <{n}@o>\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nyes\n",
    "From: {who}, other@x.example\nTo: pbem@example.org\nSubject: two\nMessage-ID: <{n}@o>\n\n{order}\n",
    "no mail at all",
    "From: {who}\nTo: pbem@example.org\nSubject: list\nMessage-ID: <{n}@o>\nPrecedence: bulk\n\n{order}\n",
)
_TERMS = (
    'deadline = "2 days"\nreminders = ["1 day"]\ngrace = "1 day"\nthen = "tell"\n',
    'deadline = "1 day"\nreminders = ["12 hours"]\ngrace = "0 hours"\nthen = "answer"\n',
    'deadline = "3 days"\nreminders = ["2 days", "1 day"]\ngrace = "1 day"\nthen = "answer"\n',
    'deadline = "soon"\n',
)


class Profile(NamedTuple):
    """How often people do what, of a hundred times; the rest of the time whoever is asked answers."""

    early: int = 6
    plans: int = 3
    phrases: int = 5
    talk: int = 4
    requests: int = 4
    away: int = 1
    motions: int = 2
    ends: int = 0
    host: int = 2
    ticks: int = 5
    odd: int = 2
    old: int = 2
    again: int = 2
    cut: int = 2
    flood: int = 0
    longest_wait: int = 300  # minutes between two actions


PROFILES = {
    "quiet": Profile(0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0),
    "mixed": Profile(),
    "planners": Profile(early=30, plans=25, phrases=2, cut=4),
    "talkers": Profile(talk=20, phrases=20, requests=15),
    "motions": Profile(motions=35, talk=5, early=5, ticks=6, cut=3),
    "away": Profile(away=20, host=12, ticks=15, early=5, plans=3),
    "clock": Profile(ticks=40, away=4, longest_wait=2000, cut=4),
    "host": Profile(host=30, ticks=8, cut=5, motions=4),
    "mishaps": Profile(cut=30, again=10, old=10, odd=10, ticks=8),
    "oddities": Profile(odd=30, old=10, again=8, phrases=15),
    "ends": Profile(ends=30, motions=5, talk=4, ticks=4),
    "flood": Profile(flood=10, requests=20, talk=10),
    "bots": Profile(host=8, away=8, ticks=8, early=8, plans=8),
}


class Session(NamedTuple):
    """A session to be recorded: where it is played, and by which people."""

    name: str
    carrier: str
    profile: str
    players: int
    steps: int
    seed: int
    options: tuple[str, ...] = ()


def sessions() -> Iterator[Session]:
    """Yield all sessions that are recorded."""
    for carrier, rounds in (("mail", 14), ("folders", 4)):
        for profile in PROFILES:
            for seed in range(rounds):
                players = 2 + (seed + len(profile)) % 5
                steps = 220 if profile in ("quiet", "planners") and seed == 0 else 45
                yield Session(f"{carrier}-{profile}-{seed}", carrier, profile, players, steps, seed)
    for kind in ("shared", "sealed", "open"):
        for seed in range(22):
            players, steps = 2 + seed % 5, 90 if not seed else 25
            yield Session(f"git-{kind}-{seed}", "git", kind, players, steps, seed)


def script(session: Session, world: World) -> Iterator[Action]:
    """Yield what people do one after the other; each time, the world is as it is after what they did before."""
    random = Random(session.name)
    if isinstance(world, ClubWorld):
        return ClubPeople(session, world, random).actions()
    assert isinstance(world, GitWorld)
    return GitPeople(session, world, random).actions()


class ClubPeople:
    """The players, the host and strangers of a club."""

    def __init__(self, session: Session, world: ClubWorld, random: Random) -> None:
        self.session, self.world, self.random = session, world, random
        self.profile = PROFILES[session.profile]
        self.names = list(NAMES[: session.players])
        self.number = 0

    def actions(self) -> Iterator[Action]:
        """Yield the actions of all."""
        yield self.begin()
        if self.session.profile == "clock":
            for game in ("monday", "tuesday")[: self.random.randrange(3)]:
                seats = [self.seat(name, colour) for name, colour in zip(self.names, COLOURS, strict=False)]
                yield ["host", "new", game, *seats, "--board", "players"]
                yield ["terms", game, self.random.choice(_TERMS[:3])]
            yield ["terms", "friday", self.random.choice(_TERMS[:3])]
        for _ in range(self.session.steps):
            yield ["wait", self.random.randrange(1, self.profile.longest_wait)]
            yield from self.next_of_somebody()
            record = self.world.record()
            if record is not None and isinstance(record.state.phase, Ended) and self.random.random() < 0.2:
                break
        yield ["host", "status"]
        for words in (["verify"], ["audit"], ["reveal"], ["show"]):
            yield ["proof", *words]
        if self.session.carrier == "mail":
            yield ["host", "rebuild", "friday"]
            yield ["host", "status", "--stats"]

    def begin(self) -> Action:
        """Begin the club and its game."""
        random, players = self.random, self.session.players
        settings = {"picture": "false", "waves": random.choice(("true", "true", "false"))}
        settings["strangers"] = random.choice(('"answer"', '"silent"'))
        board = [
            "--board",
            random.choice(["players", "random", "recommended"] if 2 < players < 6 else ["players", "random"]),
        ]
        hidden = ["--hide-food"] if random.random() < 0.3 else []
        seats = [self.seat(name, colour) for name, colour in zip(self.names, COLOURS, strict=False)]
        if self.session.profile == "bots":
            seats[-1] = "bot"
            if players > 3:
                seats[1] = "bot"
        elif self.session.profile == "oddities" and self.session.carrier == "mail" and random.random() < 0.5:
            return ["begin", settings, "friday", *seats[:-1], "--seats", str(players), *board, *hidden]
        return ["begin", settings, "friday", *seats, *board, *hidden]

    def seat(self, name: str, colour: str) -> str:
        return f"{name}:{colour}={name.lower()}@home.example" if self.session.carrier == "mail" else f"{name}:{colour}"

    def person(self, name: str) -> str:
        """Return by what name the world knows a person's letters."""
        return name.lower() if self.session.carrier == "mail" else name

    def next_of_somebody(self) -> Iterator[Action]:
        """Yield what somebody does now."""
        chances = self.profile._asdict()
        chances.pop("longest_wait")
        kind = self.random.choices([*chances, "answer"], [*chances.values(), max(5, 100 - sum(chances.values()))])[0]
        record = self.world.record()
        if record is None and kind in ("answer", "early", "plans"):
            kind = "odd"
        yield from getattr(self, kind)(record)

    # Players

    def owner(self, record: Record | None, colour: str) -> str:
        """Return who has been seated at a colour, as far as people know."""
        return dict(record.players).get(colour, self.names[0]) if record else self.random.choice(self.names)

    def asked(self, record: Record) -> tuple[str, str] | None:
        """Return the colour that must decide, and who plays it."""
        colour = who_decides(record.state)
        if colour is None:
            return None
        name = self.owner(record, colour)
        sub = [each for each in ("Sub", "Zoe") if self.world.letter(self.person(each), "asks") is not None]
        if sub and self.random.random() < 0.5:
            name = sub[0]
        return colour, name

    def say(self, who: str, which: str, words: str) -> Action:
        """Return the action of answering a letter, with any mail program."""
        self.number += 1
        programs = list(PROGRAMS) if self.session.carrier == "mail" else ["phone", "bare"]
        return ["say", self.person(who), which, words, self.random.choice(programs), self.number]

    def order(self, record: Record, colour: str) -> str:
        """Return an order for a colour as if it were asked."""
        state = as_asked(record.state, colour)
        if self.random.random() < 0.15:
            return self.random.choice([choice.order for choice in main_choices(state)] or ["pass"])
        try:
            return str(a_sensible_choice(state, self.random))
        except (AssertionError, IndexError, StopIteration):
            return "pass"

    def answer(self, record: Record) -> Iterator[Action]:
        asked = self.asked(record)
        if asked is None:
            yield from self.talk(record)
            return
        colour, name = asked
        words = self.order(record, colour)
        if self.random.random() < 0.1:
            words += f"\n\n{self.random.choice(_TALK)}"
        if self.session.carrier == "mail" and self.random.random() < 0.15:
            yield ["tap", self.person(name), "asks", self.random.randrange(8)]
        elif self.session.carrier == "mail" and self.random.random() < 0.1:
            yield ["inbox", self.person(name), "asks", words]
        else:
            yield self.say(name, "asks", words)

    def early(self, record: Record) -> Iterator[Action]:
        colour, name = self.random.choice(record.players)
        words = self.order(record, colour)
        if self.random.random() < 0.3:
            words += "\n" + self.order(record, colour)
        yield self.say(
            name, self.random.choice(("asks", "any")), self.random.choice((words, words, "wait", f"{words}\nelse pass"))
        )

    def plans(self, record: Record) -> Iterator[Action]:
        colour, name = self.random.choice(record.players)
        lines = suggest(record.state, colour, record.game) if self.random.random() < 0.7 else ()
        words = "\n".join(lines) or self.random.choice(_PLANNED)
        if who_decides(record.state) == colour and self.random.random() < 0.6:
            words = f"{self.order(record, colour)}\n{words}"
        yield self.say(name, "any", words)

    def phrases(self, record: Record | None) -> Iterator[Action]:
        colour = who_decides(record.state) if record else None
        name = self.owner(record, colour) if colour else self.random.choice(self.names)
        phase = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(record.state.phase).__name__).lower() if record else ""
        known = list(_PHRASES.get(phase, ())) or _PHRASED
        yield self.say(name, "asks", self.random.choice(known))

    def talk(self, _: Record | None) -> Iterator[Action]:
        name = self.random.choice(self.names)
        lines = self.random.sample(_TALK, self.random.randrange(1, 4))
        yield self.say(name, self.random.choice(("asks", "any")), "\n".join(lines))

    def requests(self, record: Record | None) -> Iterator[Action]:
        words = self.random.choice(_REQUESTS)
        if record and self.random.random() < 0.2 and (colour := who_decides(record.state)):
            yield self.say(self.owner(record, colour), "asks", f"{self.order(record, colour)}\n{words}")
            return
        yield self.say(self.random.choice(self.names), "any", words)

    def away(self, _: Record | None) -> Iterator[Action]:
        yield self.say(self.random.choice(self.names), "any", self.random.choice(_AWAY))

    def motions(self, _: Record | None) -> Iterator[Action]:
        if self.random.random() < 0.5:
            words = self.random.choice(_MOTIONS).format(name=self.random.choice(self.names))
            yield self.say(self.random.choice(self.names), "any", words)
            return
        first, *others = self.random.sample(self.names, len(self.names))
        whom = self.random.choice(others)
        yield self.say(first, "any", self.random.choice(("take back", f"go on without {whom}")))
        for name in others:
            words = self.random.choices(
                ("agree", "I agree", "yes", "object", self.random.choice(_TALK)), (8, 4, 4, 1, 1)
            )[0]
            yield self.say(name, "any", words)

    def ends(self, _: Record | None) -> Iterator[Action]:
        name = self.random.choice(self.names)
        yield self.say(name, "any", self.random.choice(_ENDS))
        if self.random.random() < 0.5:
            yield self.say(name, "any", "yes")

    def flood(self, _: Record | None) -> Iterator[Action]:
        name = self.random.choice(self.names)
        for number in range(10):
            yield self.say(name, "any", f"{self.random.choice(_TALK)} {number}" if number % 2 else "show")

    # What goes wrong

    def odd(self, record: Record | None) -> Iterator[Action]:
        name = self.random.choice(self.names)
        if self.session.carrier != "mail":
            yield self.say(
                name, "any", self.random.choice(("", "\x00\x01", "x" * 5000, "ÄÖÜ €", "offer 99", "> quoted"))
            )
            return
        choice = self.random.randrange(6)
        order = self.order(record, self.random.choice(record.players)[0]) if record else "pass"
        who = f"{self.person(name)}@home.example"
        if choice == 0:
            yield ["bounce", self.person(name), self.random.choice(("failed", "delayed", "relayed"))]
        elif choice == 1:
            other = self.random.choice([*self.names, "mallory"]).lower()
            yield ["say", self.person(name), "asks", order, f"{other}@home.example as phone", self.number]
        elif choice == 2 and record is None:
            yield [
                "mail",
                "zoe",
                f"From: zoe@home.example\nTo: pbem@example.org\nSubject: join friday Zoe\nMessage-ID: <{self.world.step}@o>\n\njoin friday Zoe\n",
            ]
            yield ["say", "zoe", "any", "yes", "phone", self.number]
        else:
            text = self.random.choice(_ODD).format(who=who, n=self.world.step, order=order)
            yield ["mail", self.person(name), text]

    def old(self, record: Record | None) -> Iterator[Action]:
        colour, name = self.random.choice(record.players) if record else ("red", self.names[0])
        words = self.order(record, colour) if record else "pass"
        yield self.say(name, f"{self.random.choice(('asks', 'any'))} {self.random.randrange(1, 5)}", words)

    def again(self, _: Record | None) -> Iterator[Action]:
        yield ["again", self.person(self.random.choice(self.names)), self.random.randrange(1, 3)]

    def cut(self, record: Record | None) -> Iterator[Action]:
        if self.random.random() < 0.1:
            yield ["forget"]
        for action in self.host(record) if self.random.random() < 0.3 or record is None else self.answer(record):
            yield ["cut", self.random.randrange(1, 9), action]

    # The host and the clock

    def host(self, record: Record | None) -> Iterator[Action]:
        random, name = self.random, self.random.choice(self.names)
        address = "sub@home.example" if self.session.carrier == "mail" else "Sub"
        zoe = "zoe@home.example" if self.session.carrier == "mail" else "Zoe"
        some = [
            ["absent", "friday", name],
            ["absent", "friday", name, "--until", "2026-12-05"],
            ["absent", "friday", name, "--substitute", "bot"],
            ["absent", "friday", name, "--substitute", f"Sub={address}"],
            ["back", "friday", name],
            ["back", "friday", name],
            ["pause", "friday", "--why", "lunch"],
            ["resume", "friday"],
            ["resume", "friday"],
            ["takeback", "friday"],
            ["takeback", "friday", "--to", str(random.randrange(12))],
            ["resend", "friday"],
            ["resend", "friday", "--all"],
            ["replace", "friday", name, f"Zoe={zoe}"],
            ["replace", "friday", name, f"{name}={name.lower()}2@home.example" if "@" in zoe else f"{name}={name}"],
            ["answer", "friday"],
            ["answer", "friday", self.order(record, who_decides(record.state) or "red") if record else "pass"],
            ["status", "--json"],
        ]
        yield ["host", *random.choice(some)]

    def ticks(self, _: Record | None) -> Iterator[Action]:
        if self.random.random() < 0.15:
            yield ["terms", "friday", self.random.choice(_TERMS)]
        if self.random.random() < 0.3:
            yield ["wait", self.random.choice((600, 1500, 3000, 20000))]
        if self.random.random() < 0.3:
            for _ in range(self.random.randrange(2, 9)):  # a machine that ticks while nobody writes
                yield ["wait", 720]
                yield ["tick"]
        yield ["tick", *(["--release"] if self.random.random() < 0.1 else [])]


class GitPeople:
    """The players of a repository."""

    def __init__(self, session: Session, world: GitWorld, random: Random) -> None:
        self.session, self.world, self.random = session, world, random
        self.colours = list(COLOURS[: session.players])
        self.seats = dict(zip(self.colours, NAMES, strict=False))

    def actions(self) -> Iterator[Action]:
        """Yield the actions of all."""
        random, players = self.random, self.session.players
        board = random.choice(["players", "random", "recommended"] if 2 < players < 6 else ["players", "random"])
        hidden = ["--hide-food"] if random.random() < 0.3 and self.session.profile != "open" else []
        yield [
            "begin",
            self.seats,
            "--chance",
            self.session.profile,
            "--board",
            board,
            *hidden,
            *(["--as", "red"] if self.session.profile == "shared" else []),
        ]
        if self.session.profile == "shared":
            for colour in self.colours[1:]:
                yield ["git", colour, "join", "--as", colour]
        for _ in range(self.session.steps):
            yield ["wait", random.randrange(1, 2000)]
            yield from self.next_of_somebody()
            if isinstance(self.world.record().state.phase, Ended):
                break
        yield ["pull", "red"]
        for words in (["status"], ["log"], ["check"]):
            yield ["git", "red", *words]
        for words in (["verify", "game.toml"], ["audit", "game.toml"], ["show", "game.toml"]):
            yield ["own", "red", *words]

    def next_of_somebody(self) -> Iterator[Action]:
        """Yield what somebody does now."""
        record, chance = self.world.record(), self.random.random()
        who = self.random.choice(self.colours)
        if record.opener:
            yield ["git", record.opener, "draw", "--as", record.opener]
        elif chance < 0.5 or self.session.steps > 50:
            colour = who_decides(record.state) or who
            yield ["git", colour, "move", "--as", colour, "--order", self.order(record, colour), *self.said()]
        elif chance < 0.55:
            yield ["git", who, "move", "--as", self.random.choice(self.colours), "--order", self.order(record, who)]
        elif chance < 0.6:
            yield ["write", who, self.random.choice(("# a remark\n", "log = []\n"))]
        elif chance < 0.65:
            colour = who_decides(record.state) or who
            yield [
                "cut",
                self.random.randrange(1, 9),
                ["git", colour, "move", "--as", colour, "--order", self.order(record, colour)],
            ]
        elif chance < 0.72:
            lines = suggest(record.state, who, record.game) or ("stay",)
            yield ["pull", who]
            yield ["own", who, "plan", "game.toml", "--as", who, *lines]
            yield ["git", who, "move", "--as", who]
        else:
            yield from self.at_the_table(record, who)

    def order(self, record: Record, colour: str) -> str:
        try:
            return str(a_sensible_choice(as_asked(record.state, colour), self.random))
        except (AssertionError, IndexError, StopIteration):
            return "pass"

    def said(self) -> list[str]:
        return ["-m", self.random.choice(_TALK)] if self.random.random() < 0.15 else []

    def at_the_table(self, record: Record, who: str) -> Iterator[Action]:
        """Yield what is said and decided besides the moves."""
        random, whom = self.random, self.random.choice(self.colours)
        some: list[list[str]] = [
            ["note", random.choice(_TALK)],
            ["takeback"],
            ["takeback", "--to", str(random.randrange(max(1, record.turn)))],
            ["exclude", whom],
            ["replace", whom, "Zoe"],
            [
                "clock",
                random.choice(("3 days", "12 hours", "off", "soon")),
                "--then",
                random.choice(("tell", "answer", "exclude")),
            ],
            ["answer"],
            ["agree"],
            ["disagree"],
            ["status"],
            ["log"],
            ["tick"],
        ]
        words = random.choice(some)
        yield (
            ["git", who, *words, "--as", who, *self.said()] if words[0] not in ("log", "tick") else ["git", who, *words]
        )
        if words[0] in ("takeback", "exclude", "replace", "clock") and random.random() < 0.7:
            if words[0] in ("exclude", "replace"):
                yield ["wait", random.choice((3000, 12000))]
            for other in self.colours:
                if other != who:
                    yield ["wait", 5]
                    yield ["pull", other]
                    yield ["git", other, random.choice(("agree", "agree", "agree", "disagree")), "--as", other]
