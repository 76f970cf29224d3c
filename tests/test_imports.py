"""Imports point down, and the core does no input or output."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import pbem

ROOT = Path(pbem.__file__).parent
GAME = "pbem.first_sparks."
# From the ground up; a module imports only from layers below its own, or from its own where that is said.
LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "pbem.errors",
        "pbem.sha",
        "pbem.page.glue",
        "pbem.page.page",
        "pbem.page.lettering",
        "pbem.quick",
        GAME + "options",
    ),
    ("pbem.grammar",),
    (
        "pbem.page.text",
        "pbem.page.html",
        "pbem.page.data",
        "pbem.page.plain",
        "pbem.page.png",
    ),
    (
        "pbem.scripts.errands",
        "pbem.interrupts",
    ),
    ("pbem.scripts.jobs",),
    (
        GAME + "components",
        GAME + "events",
        GAME + "moves",
        GAME + "phases",
    ),
    (GAME + "land.hexes",),
    (GAME + "board",),
    (
        GAME + "land.groups",
        GAME + "land.cells",
    ),
    (GAME + "state",),
    (
        GAME + "chance.draws",
        GAME + "market",
        GAME + "clans",
    ),
    (GAME + "chance.contributions",),
    (GAME + "rules.*",),
    (
        GAME + "notation",
        GAME + "components_sense",
    ),
    (GAME + "decisions",),
    (GAME + "adjudicator",),
    (GAME + "codec",),
    (GAME + "record",),
    (GAME + "proof",),
    (
        GAME + "forecast",
        GAME + "routes",
        GAME + "secrecy",
    ),
    (GAME + "choice",),
    (
        GAME + "plans.plan",
        GAME + "plans.lines",
    ),
    (
        GAME + "plans.wishes",
        GAME + "plans.check",
        GAME + "plans.write",
        GAME + "plans.answer",
    ),
    (GAME + "plans.read",),
    (
        GAME + "bot.tuning",
        GAME + "bot.seats",
        GAME + "bot.prospect",
    ),
    (GAME + "bot.outlook",),
    (
        GAME + "bot.cards",
        GAME + "bot.spaces",
    ),
    (
        GAME + "bot.decide",
        GAME + "bot.reasons",
    ),
    (GAME + "bot.suggest",),
    (
        GAME + "briefing.accounts",
        GAME + "briefing.primer",
    ),
    (
        GAME + "briefing.words",
        GAME + "briefing.headings",
        GAME + "briefing.board_view",
    ),
    (
        GAME + "briefing.board_text",
        GAME + "briefing.board_list",
    ),
    (
        GAME + "briefing.result",
        GAME + "briefing.ahead",
        GAME + "plans.explain",
        GAME + "plans.report",
    ),
    (
        GAME + "briefing.notes",
        GAME + "briefing.news",
        GAME + "briefing.board_svg",
    ),
    (
        GAME + "briefing.examples",
        GAME + "briefing.spread_text",
        GAME + "briefing.market_ahead",
    ),
    (
        GAME + "briefing.question",
        GAME + "briefing.folding",
    ),
    (
        GAME + "briefing.situation",
        GAME + "briefing.supposed",
    ),
    (GAME + "plans.together",),
    (
        GAME + "replay.steps",
        GAME + "replay.pictures",
        GAME + "replay.charts",
    ),
    (GAME + "replay.panels",),
    (GAME + "replay.page",),
    (
        "pbem.formats",
        "pbem.generated.shapes",
        "pbem.generated.built_in",
    ),
    ("pbem.ownership",),
    ("pbem.files",),
    ("pbem.schema",),
    ("pbem.loading",),
    ("pbem.game_files",),
    ("pbem.game_page",),
    ("pbem.shared.chains",),
    ("pbem.secrets",),
    ("pbem.ahead.intents",),
    ("pbem.ahead.plan_files",),
    (
        "pbem.rulings",
        "pbem.game_setup",
    ),
    ("pbem.report",),
    ("pbem.shared.joining",),
    (
        "pbem.rule_search",
        "pbem.what_if",
    ),
    (
        "pbem.lookup",
        "pbem.ahead.bots",
    ),
    (
        "pbem.scripts.kept",
        "pbem.scripts.library",
        "pbem.scripts.quick_json",
        "pbem.scripts.temporary",
    ),
    (
        "pbem.scripts.archive",
        "pbem.scripts.cluster",
        "pbem.scripts.batch",
    ),
    (
        "pbem.research.tree",
        "pbem.research.actions",
    ),
    ("pbem.research.node",),
    ("pbem.research.observation",),
    (
        "pbem.research.openspiel",
        "pbem.research.pettingzoo",
    ),
    (
        "pbem.research.openspiel",
        "pbem.research.pettingzoo",
    ),
    (
        "pbem.scripts.engines",
        "pbem.scripts.stats_rows",
    ),
    ("pbem.scripts.stats_text",),
    ("pbem.scripts.stats_html",),
    (
        "pbem.generated.command_lines",
        "pbem.generated.help_pages",
    ),
    (
        "pbem.cli.arguments",
        "pbem.cli.new_game",
        "pbem.cli.console",
        "pbem.cli.ours",
    ),
    ("pbem.cli.workers",),
    (
        "pbem.cli.turn",
        "pbem.cli.file",
        "pbem.cli.proof",
        "pbem.cli.reference",
        "pbem.cli.board",
        "pbem.cli.replay",
    ),
    ("pbem.cli.shared",),
    (
        "pbem.cli.bot",
        "pbem.cli.plan",
    ),
    ("pbem.cli.help.examples",),
    ("pbem.cli.help.man",),
    ("pbem.cli.app",),
    ("pbem.cli.start.straight",),
    ("pbem.__main__",),
    (
        "pbem.club.agreed.lines",
        "pbem.club.journal",
        "pbem.club.reading.doubts",
        "pbem.club.reading.lines",
        "pbem.club.reading.mail_words",
        "pbem.club.reading.plan_lines",
        "pbem.club.reading.vocabulary",
        "pbem.club.toml_rows",
        "pbem.git.ed25519",
        "pbem.git.judges",
        "pbem.git.public",
        "pbem.git.remembered",
        "pbem.git.repository",
        "pbem.git.sharing",
        "pbem.mail.incoming.body",
        "pbem.mail.incoming.signs",
        "pbem.mail.outgoing.maildir",
        "pbem.mail.outgoing.mime",
        "pbem.table.asking",
        "pbem.table.clock",
        "pbem.table.letters.ending",
        "pbem.table.lines",
        "pbem.table.ticket",
        "pbem.table.times",
    ),
    (
        "pbem.club.many.told",
        "pbem.club.private",
        "pbem.club.reading.marks",
        "pbem.club.reading.named",
        "pbem.club.reading.past",
        "pbem.club.reading.pieces",
        "pbem.club.reading.wishes",
        "pbem.git.clone",
        "pbem.git.signing",
        "pbem.git.template",
        "pbem.mail.incoming.message",
        "pbem.mail.tickets",
        "pbem.table.letters.letter",
        "pbem.table.minutes",
        "pbem.table.people",
        "pbem.table.questions",
        "pbem.table.quiet",
    ),
    (
        "pbem.club.reading.asked",
        "pbem.club.reading.phones",
        "pbem.club.reading.worded",
        "pbem.club.settings",
        "pbem.git.contents",
        "pbem.git.effects",
        "pbem.git.init",
        "pbem.git.own",
        "pbem.table.costs",
        "pbem.table.letters.absence",
        "pbem.table.letters.advice",
        "pbem.table.letters.headlines",
        "pbem.table.motions",
        "pbem.table.notes",
        "pbem.table.talk",
    ),
    (
        "pbem.club.folder",
        "pbem.club.reading.phrases",
        "pbem.club.reading.quoting",
        "pbem.club.setup",
        "pbem.git.moved",
        "pbem.table.letters.harmless",
        "pbem.table.table",
    ),
    (
        "pbem.club.cache",
        "pbem.club.clock_data",
        "pbem.club.reading.again",
        "pbem.club.reading.proposals",
        "pbem.club.reading.refusals",
        "pbem.club.transaction",
        "pbem.git.status",
        "pbem.git.verdict",
        "pbem.mail.outgoing.post",
        "pbem.table.letters.help",
        "pbem.table.letters.situation",
    ),
    (
        "pbem.club.reading.reply",
        "pbem.git.history",
        "pbem.git.hooks",
        "pbem.mail.settings",
        "pbem.table.letters.notices",
    ),
    (
        "pbem.club.reading.received",
        "pbem.club.tally",
        "pbem.git.playing.send",
        "pbem.mail.passwords",
        "pbem.mail.setup",
    ),
    (
        "pbem.club.store",
        "pbem.club.unreachable",
        "pbem.git.playing.drawing",
        "pbem.git.playing.joining",
        "pbem.git.playing.move",
        "pbem.git.playing.table",
        "pbem.git.server",
        "pbem.mail.incoming.imap",
        "pbem.mail.incoming.understanding",
        "pbem.table.occurrences",
    ),
    (
        "pbem.mail.incoming.bounces",
        "pbem.mail.incoming.mailbox",
        "pbem.table.letters.motions",
        "pbem.table.letters.reminders",
        "pbem.table.progress",
    ),
    (
        "pbem.mail.outgoing.outbox",
        "pbem.table.host",
        "pbem.table.letters.plans",
        "pbem.table.messages.answers",
        "pbem.table.ticks",
    ),
    (
        "pbem.club.many.timed",
        "pbem.mail.outgoing.undelivered",
        "pbem.table.letters.receipts",
        "pbem.table.messages.plans",
        "pbem.table.messages.requests",
        "pbem.table.messages.votes",
    ),
    (
        "pbem.club.many.rows",
        "pbem.table.letters.own_words",
        "pbem.table.tell",
    ),
    (
        "pbem.club.many.entries",
        "pbem.club.seating",
        "pbem.table.messages.hear",
    ),
    (
        "pbem.club.many.index",
        "pbem.club.players",
    ),
    (
        "pbem.club.many.looking",
        "pbem.club.many.seen",
        "pbem.club.stand_ins",
    ),
    (
        "pbem.club.deadlines",
        "pbem.club.host",
        "pbem.club.status",
        "pbem.club.strangers",
    ),
    (
        "pbem.folders.carrier",
        "pbem.mail.rebuild",
        "pbem.mail.take",
    ),
    ("pbem.mail.running",),
    ("pbem.cli.git.options",),
    ("pbem.cli.git.table",),
    ("pbem.scripts.stats_game",),
    ("pbem.scripts.tables",),
    ("pbem.scripts.stats",),
    ("pbem.scripts.simulation",),
    (
        "pbem.cli.stats",
        "pbem.cli.host",
    ),
    ("pbem.cli.git.server",),
    ("pbem.cli.git.play",),
    (
        "pbem.cli.mail",
        "pbem.cli.mail_host",
        "pbem.cli.club",
    ),
)
# A chapter refers to another only where the rulebook does.
CHAPTERS = {
    "preparation": {"two_players"},
    "placement": {"spreading"},
    "two_players": {"hunting", "spreading"},
    "bureaucracy": {"preparation"},
}
# The only ones that point up: in a notebook a state draws itself.
DRAWN = {(GAME + "state", GAME + "briefing.board_svg")}
OUTSIDE = {"os", "pathlib", "random", "time", "datetime", "locale", "typer", "jsonschema", "tomli_w", "tomllib", "io"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def imports_of(name: str) -> set[str]:
    """Return the modules that the module names, ``from package import module`` resolved."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            found |= inside or {node.module}
    return found


def layer_of(name: str) -> int:
    for number, layer in enumerate(LAYERS):
        if name in layer or (name.startswith(GAME + "rules.") and GAME + "rules.*" in layer):
            return number
    raise AssertionError(f"{name} has no layer yet: say in LAYERS where it belongs")


@pytest.mark.parametrize("name", [name for name, path in MODULES.items() if path.name != "__init__.py"])
def test_imports_point_down(name: str) -> None:
    for other in imports_of(name) & MODULES.keys() - {name}:
        if MODULES[other].name == "__init__.py" or (name, other) in DRAWN:
            continue
        if GAME + "rules." in name and GAME + "rules." in other:
            allowed = CHAPTERS.get(name.rpartition(".")[2], set())
            assert other.rpartition(".")[2] in allowed, f"{name} imports {other}"
        else:
            assert layer_of(other) < layer_of(name), f"{name} imports {other}"


def test_no_folder_has_more_than_twenty_modules() -> None:
    """One that has grown so large has more than one thing in it."""
    folders = Counter(path.parent for path in MODULES.values() if path.name != "__init__.py")
    assert {str(folder): number for folder, number in folders.items() if number > 20} == {}


def test_no_type_has_the_name_of_another() -> None:
    """Who reads a name knows what it is, whichever module is open."""
    found: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name.strip("_"), []).append(name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
                named = [target.id for target in node.targets if isinstance(target, ast.Name)]
                for alias in named if path.parent != ROOT.parent else ():
                    if alias[:1].isupper() and not alias.isupper():
                        found.setdefault(alias, []).append(name)
    assert {name: modules for name, modules in found.items() if modules[1:]} == {}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("pbem.club.")])
def test_a_club_knows_no_mail(name: str) -> None:
    imported = imports_of(name)
    assert not {other for other in imported if other.startswith("pbem.mail")}
    assert not imported & {"email", "smtplib", "imaplib", "imap_tools"}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith(GAME)])
def test_the_game_does_no_input_or_output(name: str) -> None:
    assert {other.partition(".")[0] for other in imports_of(name)} & OUTSIDE == set()


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("pbem.table.")])
def test_a_table_knows_no_file_and_no_carrier(name: str) -> None:
    imported = imports_of(name)
    ours = ("pbem.files", "pbem.secrets", "pbem.mail", "pbem.folders", "pbem.git", "pbem.club", "pbem.cli")
    pure = ("pbem.club.reading.", "pbem.club.agreed.")
    assert not [other for other in imported if other.startswith(ours) and not other.startswith(pure)]
    assert imported & {"os", "pathlib", "random", "time", "locale", "io", "email"} == set()


def test_no_public_type_name_stands_for_two_things() -> None:
    found: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            called = node.name if isinstance(node, ast.ClassDef) else target.id if isinstance(target, ast.Name) else ""
            if called[:1].isupper() and not called.isupper():
                found.setdefault(called, set()).add(name)

    assert {called: names for called, names in found.items() if len(names) > 1} == {}
