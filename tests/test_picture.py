"""The drawn board: all that a text says of it is there, it needs no font, and it is the same bytes every time."""

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from bots import a_new_record, random_play
from builders import a_clan, a_game

from pbem import loading
from pbem.cli.app import run
from pbem.club.store import PICTURE_WIDTH
from pbem.errors import NotUnderstood
from pbem.first_sparks.briefing.board import picture
from pbem.first_sparks.briefing.board.picture import board_svg
from pbem.first_sparks.briefing.board.view import LETTERS, free_cells
from pbem.first_sparks.components import FOOD_VALUE, FOODS
from pbem.first_sparks.land.board import mountains_shown, next_to
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.state import GameState
from pbem.page import lettering, png

EXAMPLES = Path(__file__).parents[1] / "examples"
GOLDEN = Path(__file__).parent / "pictures" / "first-move.svg"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write letters as letters, so that a test can read them."""

    def written(text: str, *_: object, **__: object) -> str:
        return f"<text>{text}</text>"

    monkeypatch.setattr("pbem.first_sparks.briefing.board.picture.written", written)


def words_of(state: GameState) -> Counter[str]:
    """Return all that is written in the picture, and how often."""
    return Counter(text.text or "" for text in ElementTree.fromstring(board_svg(state)).iter(f"{SVG}text"))  # noqa: S314


@cache
def some_states() -> tuple[GameState, ...]:
    found: list[GameState] = []
    for players in range(2, 7):
        record = a_new_record(players, hide_food=True)
        played = enumerate(random_play(record, Random(players), most_turns=60))
        found += [record.state, *(state for n, (*_, state) in played if n % 9 == 0 or isinstance(state.phase, Laying))]
    return tuple(found)


@pytest.mark.parametrize("players", range(2, 7))
def test_every_space_and_every_member_is_in_the_picture(players: int, spelled: None) -> None:
    for _, _, state in random_play(a_new_record(players), Random(1), most_turns=40):
        words = words_of(state)
        members = Counter({clan.colour: clan.size for clan in state.clans})
        members["neutral"] = len(state.neutral or ())
        laid = state.components.tiles[state.phase.tile] if isinstance(state.phase, Laying) else None

        for space in state.board.spaces:
            assert words[space] == 1
        for colour, size in members.items():
            legend = colour in state.order or (colour == "neutral" and state.neutral is not None)
            assert words[LETTERS[colour]] == size + legend
        if laid:
            assert words[f"{laid.letter}1a"] == 6  # once for each turn


def test_the_clans_of_a_space_stand_in_it_and_nowhere_else(spelled: None) -> None:
    """A member more on a space is a disc more in its hex."""
    empty, one = a_game(), a_game(red=a_clan(cards=(2,), members=("B1a",)))

    before, after = board_svg(empty).splitlines(), board_svg(one).splitlines()
    changed = [line for line in after if line not in before]

    assert any("<text>B1a</text>" in line and "<text>R</text>" in line for line in changed)
    assert not any("<text>B2a</text>" in line for line in changed)


def test_harvest_spaces_show_their_tokens_and_what_the_refill_brings(spelled: None) -> None:
    record = loading.load(EXAMPLES / "first-move" / "game.toml").record
    words = words_of(record.state)

    for food in FOODS:
        assert words[str(record.state.harvest.of(food))]
        assert words[food] == 1
        assert words[f"worth {FOOD_VALUE[food]}"]
    assert sum(count for word, count in words.items() if word.startswith("+")) == 4


def test_the_mountains_are_those_of_the_board_and_of_its_outer_edges() -> None:
    """As many ranges as there are borders with a mountain, and one for the legend."""
    for state in some_states():
        drawn = ElementTree.fromstring(board_svg(state))  # noqa: S314
        ranges = [path for path in drawn.iter(f"{SVG}path") if path.get("stroke-width") == "9"]
        shared = sum(mountain for around in state.board.neighbours.values() for _, mountain in around) // 2
        places = {hexagon.name: hexagon.place for hexagon in state.board.hexes}
        outer = [
            next_to(places[name], side)
            for laid in state.board.tiles
            for name, side in mountains_shown(laid)
            if isinstance(side, int)
        ]
        tile = 6 * len(state.components.tiles[state.phase.tile].mountains) if isinstance(state.phase, Laying) else 0

        assert len(ranges) == shared + sum(beyond not in places.values() for beyond in outer) + tile + 1


def test_the_cells_for_a_tile_have_their_names(spelled: None) -> None:
    laying = [state for state in some_states() if isinstance(state.phase, Laying)]
    assert laying
    for state in laying:
        names = {word for word in words_of(state) if word[1:].isdigit() and word[0].isalpha()}
        assert len(names) == len(free_cells(state))


def test_a_picture_is_well_formed_and_refers_to_nothing() -> None:
    for state in some_states():
        picture = board_svg(state)
        drawn = ElementTree.fromstring(picture)  # noqa: S314
        tags = {element.tag.removeprefix(SVG) for element in drawn.iter()}

        assert tags <= {"svg", "rect", "g", "path", "circle", "ellipse"}
        assert not any("href" in name or "style" in name for element in drawn.iter() for name in element.attrib)
        assert "url(" not in picture


def test_a_picture_shows_no_food_of_a_clan() -> None:
    """Two games that differ only in what clans own look alike."""
    rich, poor = (a_game(options=Options(hide_food=True), red=a_clan(food=food)) for food in (1, 40))
    assert board_svg(rich) == board_svg(poor)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Bob", "Bob"), ("Zoë Ångström", "Zoe Angstrom"), ("W" * 24, "W" * 24), ("Влад", "the green clan")],
)
def test_the_legend_says_whose_letter_is_whose(name: str, shown: str, spelled: None) -> None:
    """The letter, the player and the colour of a clan stand together, however long the name; accents may go."""
    state = a_game(green=a_clan(members=("A1a",)))
    svg = board_svg(state.with_clan(state.clans[0]._replace(player=name)))
    assert f"<text>G</text>\n<text>{shown}</text>\n<text>green: 1 member</text>" in svg


@pytest.mark.parametrize("name", ["<b>&", "Zoë", "Влад", "x" * 24, "A\u202eB"])
def test_a_name_that_cannot_be_written_is_left_out(name: str) -> None:
    state = a_game()
    state = state.with_clan(state.clans[0]._replace(player=name))
    drawn = ElementTree.fromstring(board_svg(state))  # noqa: S314
    assert name not in "".join(drawn.itertext())


def test_the_picture_is_the_same_bytes(update: bool) -> None:
    """As recorded; ``--update`` records it anew."""
    svg = board_svg(loading.load(EXAMPLES / "first-move" / "game.toml").record.state)
    if update:
        GOLDEN.write_text(svg, encoding="utf-8")
    assert svg == GOLDEN.read_text(encoding="utf-8")


def test_the_lettering_has_every_letter_and_digit() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    assert lettering.is_writable(letters)
    assert not lettering.is_writable("ß")
    assert lettering.width_of("ii", 6) < lettering.width_of("mm", 6)


# PNG


def test_a_png_is_rendered_and_is_the_same_every_time() -> None:
    """Nearly all of it is the paper, and it has ink of every clan that stands there."""
    pytest.importorskip("resvg_py")
    svg = board_svg(loading.load(EXAMPLES / "three-players" / "game.toml").record.state)

    first = png.svg_to_png(svg, 640)
    png.svg_to_png.cache_clear()
    second = png.svg_to_png(svg, 640)

    assert first == second
    assert first is not None
    assert first.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(first[16:20], "big") == 640
    assert len(first) > 20_000


@pytest.mark.parametrize("players", [3, 5])
def test_a_png_has_a_palette_and_a_third_of_the_bytes(players: int) -> None:
    """Every colour of the drawing is in it as it is; where two meet, what is seen is near to what was drawn."""
    resvg_py, image = pytest.importorskip("resvg_py"), pytest.importorskip("PIL.Image")
    from PIL import ImageChops

    *_, (_, _, state) = random_play(a_new_record(players, board="recommended"), Random(2), most_turns=60)
    svg = board_svg(state)
    plain = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=PICTURE_WIDTH, skip_system_fonts=True))
    made = png.svg_to_png(svg, PICTURE_WIDTH)
    assert made is not None

    drawn, seen = (image.open(BytesIO(each)).convert("RGB") for each in (plain, made))
    assert image.open(BytesIO(made)).mode == "P"
    assert len(made) < len(plain) / 2.8
    assert len(made) < 60_000
    difference = ImageChops.difference(drawn, seen).convert("L").histogram()
    assert sum(difference[24:]) < seen.width * seen.height / 200
    assert difference[0] > seen.width * seen.height * 0.9
    exact = {colour for _, colour in seen.getcolors(1 << 16)}
    clans = {picture._COLOURS[clan.colour][0] for clan in state.clans}
    for wanted in {"#fbf7ec", *clans, *picture._GROUND.values()}:
        assert tuple(bytes.fromhex(wanted[1:])) in exact


@pytest.mark.parametrize("svg", ["", "<svg", '<svg width="100000" height="100000"/>', '<svg width="9" height="9"'])
def test_what_is_no_drawing_of_ours_is_not_rendered(svg: str) -> None:
    pytest.importorskip("resvg_py")
    with pytest.raises(NotUnderstood):
        png.svg_to_png(svg)


# The command


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game file."""
    path = tmp_path / "game.toml"
    path.write_bytes((EXAMPLES / "first-move" / "game.toml").read_bytes())
    return path


@pytest.mark.parametrize("form", ["svg", "png"])
def test_board_writes_the_drawing_beside_the_game_and_draws_it_again(
    game: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if form == "png":
        pytest.importorskip("resvg_py")
    assert run(["board", str(game), f"--{form}"]) == 0
    drawn = game.with_suffix(f".{form}").read_bytes()
    assert run(["board", str(game), f"--{form}", "--json"]) == 0

    assert game.with_suffix(f".{form}").read_bytes() == drawn
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (answer["ok"], answer["code"], answer["format"]) == (True, "drawn", form)


def test_board_takes_the_format_from_the_ending(game: Path) -> None:
    assert run(["board", str(game), "-o", str(game.with_name("b.svg"))]) == 0
    assert game.with_name("b.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize("name", ["game.toml", "photo.svg", "photo.png", "link.svg"])
def test_board_writes_over_nothing_but_its_own_drawings(
    game: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("resvg_py")
    target = game.with_name(name)
    if name == "link.svg":
        target.symlink_to(game)
    elif name != "game.toml":
        target.write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    before = target.read_bytes()

    form = "--png" if name.endswith("png") else "--svg"
    assert run(["board", str(game), form, "-o", str(target)]) == 73
    assert target.read_bytes() == before
    assert capsys.readouterr().err.startswith("cannot-create: ")


@pytest.mark.parametrize("arguments", [[], ["--svg", "--png"], ["-o", "board.gif"]])
def test_board_wants_to_know_the_format(game: Path, arguments: list[str]) -> None:
    assert run(["board", str(game), *arguments]) == 2


@pytest.mark.parametrize("missing", ["resvg_py", "PIL"])
def test_without_the_extra_a_png_is_refused_with_the_way_out(game: Path, missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; from pbem.cli.app import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, "board", str(game), "--png"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "pip install '.[png]'" in done.stderr
    assert not game.with_suffix(".png").exists()
