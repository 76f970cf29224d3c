"""The words of plans: what people write is understood wholly or refused wholly, with everything that is wrong."""

import pytest
from builders import a_clan, a_game
from hypothesis import given
from hypothesis import strategies as st
from work import no_hang

from pbem.errors import NotUnderstood
from pbem.first_sparks import phases
from pbem.first_sparks.options import Options
from pbem.first_sparks.plans.explain import explain
from pbem.first_sparks.plans.lines import begins, cleaned
from pbem.first_sparks.plans.plan import Acceptance, Always, Placing, Plan, Wish
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.first_sparks.plans.write import write, write_always
from pbem.first_sparks.rules.placement import starting_spaces
from pbem.first_sparks.state import GameState

MEMBERS = {"green": a_clan(members=("B1a",)), "red": a_clan(members=("C2c",)), "blue": a_clan(members=("D1b",))}


def a_market(players: int = 3) -> GameState:
    """Return a game in which green is asked to offer a card, of three clans or two."""
    waiting = ("green", "red", "blue")[:players]
    return a_game(players, phase=phases.Offering("green"), waiting=waiting, round=2)


def a_spreading() -> GameState:
    """Return a game in which blue spreads, and red after it."""
    return a_game(3, phase=phases.Spreading("blue"), step="spread", waiting=("green", "red"), round=2, **MEMBERS)


def a_placement(players: int = 3) -> GameState:
    """Return a game in which the last clan settles, and red after it."""
    phase = phases.Settling("blue") if players == 3 else phases.SettlingNeutral("red")
    step = "settle" if players == 3 else "lay_landscape"
    return a_game(players, phase=phase, step=step, waiting=("green", "red"), round=0)


PLACES = {"market": a_market, "spreading": a_spreading, "placement": a_placement}


def said(text: str, state: GameState, colour: str = "red") -> PlanLines:
    """Return what the lines say."""
    return read(text.splitlines(), state, colour)


def wrong_with(text: str, state: GameState, colour: str = "red") -> list[str]:
    """Return everything that is wrong with the lines."""
    with pytest.raises(NotUnderstood) as refused:
        said(text, state, colour)
    return [reason.message for reason in refused.value.reasons]


# What is written, by the normal form that it has.
FORMS: dict[str, tuple[str, ...]] = {
    "plan 14 19": (
        "plan: 14 19",
        "Plan 14, 19.",
        "  - plan #14, #19",
        "* PLAN 14 > 19",
        "plan 014 then 19",
        "\u201cplan 14, 19\u201d",
        "plan: #14 basket, #19 field",
        "plan - 14, or 19",
        "My plan: 14 and then 19, please",
        "plan\n14\n19",
        "plan:\n- 14\n- 19",
        "Plan:\n 1. 14\n 2. 19\n",
        "\u2022 plan\u00a014\u00a019",
        "plan=14/19",
        "plans: 14; 19",
        "**plan** 14 19",
        "plan \u211614, \u211619",
        "plan card 14, no. 19",
        "plan14 19",
        "plan basket 14, the field 19",
    ),
    "plan any rod up to 8": (
        "plan any rod up to 8",
        "plan: a rod for at most 8",
        "plan any rods, up to 8 food.",
        "plan any rod <= 8",
        "plan any rod for 8 or less",
        "plan rod max 8",
        "plan any rod up\nto 8",
    ),
    "plan any knowledge any plow any tool": (
        "plan any knowledge, any plow, any tool",
        "plan knowledge, plough, tools",
        "Plan:\n- any knowledge\n- any plow\n- any tool",
    ),
    "plan 14 else pass": (
        "plan 14 else pass",
        "Plan: 14, otherwise pass.",
        "plan 14; else: pass",
        "plan 14 or else pass",
        "plan 14, otherwise nothing",
        "plan 14, then pass",
        "plan 14 or pass",
        "plan 14\nelse pass",
        "plan:\n- 14\n- else pass",
        "plan 14, pass",
        "plan 14\nplan else pass",
        "plan 14 else\npass",
    ),
    "plan 14 else ask": ("plan 14 else ask", "Plan 14, otherwise ask me.", "plan 14, ask", "plan 14 or ask me"),
    "plan buy 14": (
        "plan buy 14",
        "plan: buy #14 basket!",
        "Plan to buy 14.",
        "if 14 is offered, buy it",
        "If somebody offers 14, then I will buy it.",
        "plan:\n- buy 14",
    ),
    "plan buy 14 if nobody wants it": (
        "plan buy 14 if nobody wants it",
        "Plan: buy #14, if no one else wants it.",
        "if nobody wants 14, buy it",
        "If nobody else wants it, buy 14",
        "plan buy 14 unless somebody wants it",
        "plan buy 14 only if nobody takes it",
    ),
    "plan buy any bow if somebody wants it": (
        "plan buy any bow if somebody wants it",
        "plan: buy any bow if anyone wants it",
        "Plan buy any bow if someone says yes",
    ),
    "plan buy 14 if blue wants it": (
        "plan buy 14 if blue wants it",
        "plan buy 14 if Steffi wants it",
        "PLAN: BUY 14 IF STEFFI BUYS IT",
        "if steffi wants 14, buy it",
    ),
    "plan decline 22 any bow": (
        "plan decline 22 any bow",
        "Plan: decline #22 and any bow.",
        "plan decline 22\nplan decline any bow",
        "if 22 is offered, decline it\nplan decline bows",
    ),
    "plan pass": ("plan pass", "Plan: pass.", "plan decline all", "plan decline everything", "plan to pass"),
    "plan offer 14 any tool": ("plan offer 14 any tool", "plan: offer #14, then any tool", "- Plan offer 14, a tool"),
    "plan new decline": (
        "plan new decline",
        "plan new: decline",
        "plan new cards: decline them",
        "plan decline new cards",
        "plan decline all new cards",
    ),
    "plan new ask": ("plan new ask", "Plan: new cards, ask me", "plan ask me about new cards", "plan ask about new"),
    "plan drop 14": ("plan drop 14", "Plan: drop #14.", "plan drop the 14", "plan drop 14 basket"),
    "plan drop least": (
        "plan drop least",
        "plan: drop the least",
        "Plan drop the least useful tool.",
        "plan drop my least valuable one",
    ),
}
IN_SPREADING = {
    "plan spread C2a C2b at most 6 else stay": (
        "plan spread C2a C2b at most 6 else stay",
        "Plan: spread c2a, c2b, at most 6 food, otherwise stay.",
        "plan spread to C2A and C2B for at most 6, else stay",
        "plan spread C2a C2b\nat most 6 else stay",
        "plan spread c-2-a c 2 b up to 6 or stay",
    ),
    "plan spread C2b": ("plan spread C2b", "- plan: spread c2b.", "plan spread to C2b else ask"),
    "plan stay": ("plan stay", "Plan: stay.", "plan to stay"),
}
IN_PLACEMENT = {
    "plan settle B2a C2b": ("plan settle B2a C2b", "Plan: settle on B2a, or C2b", "plan settle b2a > c2b"),
    "plan add B2a C2b at most 2 else stay": (
        "plan add B2a C2b at most 2 else stay",
        "Plan: add B2a, then C2b, for at most 2, otherwise stay",
        "plan add to b2a or c2b up to 2 else stay",
    ),
    "plan settle B2a\nplan stay": (
        "plan settle B2a\nplan stay",
        "plan: settle B2a; stay",
        "plan:\n- settle B2a\n- stay",
    ),
}
IN_TWO = {
    "plan take": ("plan take", "Plan: take it.", "- plan take"),
    "plan discard": ("plan discard", "plan: discard", "PLAN DISCARD IT"),
}
ALWAYS = {
    "always drop least": ("always drop least", "Always: drop the least", "- always drop the least useful tool."),
    "always decline 22 any bow": (
        "always decline 22 any bow",
        "Always decline #22, any bow.",
        "always decline 22\nalways decline any bow",
    ),
}
SPELLINGS = [
    (place, normal, text)
    for place, forms in (("market", FORMS), ("spreading", IN_SPREADING), ("placement", IN_PLACEMENT))
    for normal, texts in forms.items()
    for text in texts
]


@pytest.mark.parametrize(("place", "normal", "text"), SPELLINGS)
def test_every_form_is_read_however_it_is_written(place: str, normal: str, text: str) -> None:
    state = PLACES[place]()

    found = said(text, state)

    assert found.plan is not None
    assert "\n".join(write(found.plan)) == normal
    assert said(normal, state) == found
    assert begins(text.splitlines()[0])


@pytest.mark.parametrize(("normal", "text"), [(normal, text) for normal, texts in IN_TWO.items() for text in texts])
def test_two_players_plan_what_becomes_of_the_first_offer(normal: str, text: str) -> None:
    plan = said(text, a_market(2)).plan

    assert plan is not None
    assert write(plan) == (normal,)


@pytest.mark.parametrize(("normal", "text"), [(normal, text) for normal, texts in ALWAYS.items() for text in texts])
def test_what_holds_always_is_read(normal: str, text: str) -> None:
    found = said(text, a_market())

    assert found.plan is None
    assert found.always is not None
    assert write_always(found.always) == (normal,)


@pytest.mark.parametrize("text", ["plan", "Plan:", "- plan?", "plan show", "\u201cPlan\u201d."])
def test_a_plan_alone_asks_to_see_it(text: str) -> None:
    assert said(text, a_market()) == PlanLines(show=True)


@pytest.mark.parametrize(
    "text", ["forget", "Forget it.", "forget my plan", "Forget everything, please!", "plan forget"]
)
def test_a_plan_can_be_forgotten(text: str) -> None:
    assert said(text, a_market()) == PlanLines(forget=True)


def test_several_thoughts_may_stand_in_one_line() -> None:
    found = said("Plan: 14, 19; decline 22. Drop least, and always decline any bow", a_market())

    assert found.plan is not None
    assert write(found.plan) == ("plan 14 19", "plan decline 22", "plan drop least")
    assert found.always == Always(declines=(Wish(kind="bow"),))


def test_a_list_below_the_word_has_one_thought_an_item() -> None:
    text = "Plan:\n- 14\n- any tool up to 5\n- buy 22 if nobody wants it\n- decline 8\n- drop least\n- else pass"

    plan = said(text, a_market()).plan

    assert plan is not None
    assert write(plan) == (
        "plan 14 any tool up to 5 else pass",
        "plan buy 22 if nobody wants it",
        "plan decline 8",
        "plan drop least",
    )
    assert wrong_with("plan:\n- decline 8\n- 14\n- buy 22\n- 19", a_market())


def test_a_plan_knows_what_was_on_the_table_and_what_it_is_for() -> None:
    market, spreading = said("plan 14", a_market()).plan, said("plan 14", a_spreading()).plan

    assert market == Plan("red", (7, 8, 9, 10, 11, 12, 13, 14), 2, 2, ranking=(Wish(14),))
    assert spreading is not None
    assert (spreading.written, spreading.market) == (2, 3)


def test_a_wish_is_a_card_or_a_class() -> None:
    plan = said("plan 7 any bow up to 5\nplan buy 14 if green wants it", a_market()).plan

    assert plan is not None
    assert plan.ranking == (Wish(7), Wish(0, "bow", 5))
    assert plan.buys == (Acceptance(Wish(14), "green"),)


def test_where_members_go_is_a_placing() -> None:
    plan = said("plan spread C2b at most 3", a_spreading()).plan

    assert plan is not None
    assert plan.spread == Placing(("C2b",), 3)


# Refused

NO_CARD = "is not a card; write a number like 14"
MALFORMED: list[tuple[str, str, tuple[str, ...]]] = [
    ("market", "plan bananas", ('"bananas" is not a card',)),
    ("market", "plan 14 bananas 19 kiwis", ('"bananas" is not a card', '"kiwis" is not a card')),
    ("market", "plan 14 19 14", ("#14 is named twice",)),
    ("market", "plan 99", ("card 99 is never in the market of this game, which has 7 to 41",)),
    ("market", "plan 3", ("card 3 is never in the market",)),
    ("market", "plan 14-19", ('"14-19" is not a card',)),
    ("market", "plan 14 not 19", ('"not" is not a card',)),
    ("market", "plan 14?", ('"?" is not a card',)),
    ("market", "plan 14 rod", ('#14 is a basket, not a rod; for a class write "any rod"',)),
    ("market", "plan rod #14", ("#14 is a basket, not a rod",)),
    ("market", "plan any", ('"any" must be followed by one of tool',)),
    ("market", "plan any hammer", ('"any" must be followed by one of tool',)),
    ("market", "plan any herbs", ('"any" must be followed by',)),
    ("market", "plan any spear up to 2", ("no spear costs 2 or less; the cheapest costs 5",)),
    ("market", "plan 14 up to 5", ('only a class can have "up to"',)),
    ("market", "plan 14 else stay", ('"else stay" is for spreading',)),
    ("market", "plan 14 else dance", ('"dance" is not a card',)),
    ("market", "plan 14\nplan 19", ("an earlier line already says which cards you want",)),
    ("market", "plan buy", ("no card is named",)),
    ("market", "plan buy 14\nplan buy 14", ("an earlier line already says to buy that",)),
    ("market", "plan buy 14 if", ('a condition is "if nobody wants it"',)),
    ("market", "plan buy 14 if Steffi does not want it", ("a condition says who wants a card, not who does not",)),
    ("market", "plan buy 14 if Steffi doesn't want it", ("a condition says who wants a card, not who does not",)),
    ("market", "plan buy 14 if Zoe wants it", ("no player has that name or colour", "Steffi (blue)")),
    ("market", "plan buy 14 if red wants it", ("not about yourself",)),
    ("market", "plan buy 14 unless blue wants it", ('"unless" can only be followed by',)),
    ("market", "plan buy 14 if nobody wants it\nplan buy 14", ("with a condition and without one",)),
    ("market", "plan 14 if nobody wants it", ('only "buy" has a condition',)),
    ("market", "plan 14\nplan decline 14", ("#14 is wanted and declined",)),
    ("market", "plan buy any rod\nplan decline any rod", ('"any rod" is wanted and declined',)),
    ("market", "plan pass\nplan 14", ("it declines all cards and wants some",)),
    ("market", "plan pass\nplan else ask", ("it passes, and would ask you first",)),
    ("market", "plan new", ('a plan says "new decline" or "new ask"',)),
    ("market", "plan new decline\nplan new ask", ("an earlier line already says what happens to new cards",)),
    ("market", "plan drop", ('"drop" needs the number of one tool',)),
    ("market", "plan drop 9", ('"drop" needs the number of one tool',)),
    ("market", "plan drop 7 8", ('"drop" needs the number of one tool',)),
    ("market", "plan drop 7\nplan drop least", ("an earlier line already says which tool to drop",)),
    ("market", "plan take", ('"take" is only asked when two play',)),
    ("market", "plan spread B2a", ("spreading can only be planned after the hunt",)),
    ("market", "plan stay", ("spreading can only be planned after the hunt",)),
    ("market", "plan settle B2a", ("the placement round can only be planned while it runs",)),
    ("market", "plan add B2a", ("the placement round can only be planned while it runs",)),
    ("market", "plan spread neutral B2a", ("only two players have a neutral clan",)),
    ("spreading", "plan spread Z9z", ('"z9z" is not a space',)),
    ("spreading", "plan spread", ("no space is named",)),
    ("spreading", "plan spread F1a", ("F1a is not on the board",)),
    ("spreading", "plan spread C2b C2b", ("a space is named twice",)),
    ("spreading", "plan spread C2b or C2a", ("all taken together",)),
    ("spreading", "plan spread C2b > C2a", ("all taken together",)),
    ("spreading", "plan spread B1a", ("B1a is not next to a member",)),
    ("spreading", "plan spread C2b\nplan stay", ("it spreads and stays",)),
    ("spreading", "plan spread C2b else pass", ('"else pass" is for the market',)),
    ("market", "plan 14 else decline", ('"else decline" may mean two things',)),
    ("market", "plan 14 or decline", ('write "else pass" to give up your own turn',)),
    ("market", "plan buy 14, otherwise I decline", ('"else decline" may mean two things',)),
    ("spreading", "plan spread C2b else decline", ('"else pass" is for the market',)),
    ("spreading", "plan stay home", ('"stay" stands alone',)),
    ("placement", "plan settle B2a at most 3", ("this costs nothing",)),
    ("placement", "plan settle G1a", ("G1a is not on the board",)),
    ("placement", "plan add neutral B2a", ("the neutral clan adds nobody",)),
    ("market", "always pass", ('a rule that holds always is "drop least" or "decline"',)),
    ("market", "always", ('a rule that holds always is "drop least" or "decline"',)),
    ("market", "always decline all", ('a rule that holds always is "drop least" or "decline"',)),
    ("market", "always 14", ('a rule that holds always is "drop least" or "decline"',)),
    ("market", "if you like, come on Friday", ('a condition is written like "plan buy 14 if nobody wants it"',)),
    ("market", "plan to meet on Friday", ('"meet" is not a card',)),
    ("market", "Plan B is to win", ('"b" is not a card',)),
    ("market", "forget about Friday", ('write "forget" alone',)),
    ("market", "", ("it is empty",)),
]


@pytest.mark.parametrize(("place", "text", "reasons"), MALFORMED, ids=[text or "nothing" for _, text, _ in MALFORMED])
def test_what_is_wrong_is_refused_with_what_would_be_right(place: str, text: str, reasons: tuple[str, ...]) -> None:
    found = "\n".join(wrong_with(text, PLACES[place]()))

    for reason in reasons:
        assert reason in found


def test_everything_that_is_wrong_is_told_at_once() -> None:
    text = "plan 14 bananas 99\nplan buy 22 if Zoe wants it\nplan drop 9\nalways dance\nif so, so\nforget me not"

    found = wrong_with(text, a_market())

    assert len(found) == 6
    assert ('"bananas" is not a card' in found[0], "card 99 is never" in found[0]) == (True, True)


def test_how_a_card_is_named_is_told_once() -> None:
    (why,) = wrong_with("plan bananas kiwis", a_market())

    assert why.startswith('in "bananas kiwis": "bananas" is not a card; "kiwis" is not a card; write a number like 14')


def test_where_a_clan_starts_on_a_recommended_board_is_told() -> None:
    """Each clan has a starting space of its own there."""
    state = a_placement()._replace(options=Options(board="recommended"))
    (own,), (other,) = (starting_spaces(state, colour) for colour in ("red", "blue"))

    assert wrong_with(f"plan settle {other}", state) == [f"on this board the clan starts on {own}, not on {other}"]


@pytest.mark.parametrize("good", ["plan 14 19", "always drop least", "plan new decline\nplan drop least"])
def test_a_plan_with_one_bad_line_is_refused_as_a_whole(good: str) -> None:
    for text in (f"{good}\nplan bananas", f"plan bananas\n{good}", f"{good}\nalways eat"):
        assert len(wrong_with(text, a_market())) == 1


@pytest.mark.parametrize(
    "text", ["plan 14\n" * 1000, "plan " + "14 " * 100_000, "plan " * 200, "plan " + "a" * 390, "always\n" * 60]
)
def test_a_plan_without_end_is_refused(text: str) -> None:
    with no_hang(20):
        found = wrong_with(text, a_market())

    assert 1 <= len(found) <= 21
    assert all(len(line) < 3000 for line in found)


WORDS = "plan always if forget 14 #19 any rod up to 5 else pass ask buy decline wants it nobody blue new drop least"
MORE = "spread A1a at most , . ; : or then unless offer stay 1. take all ( <= \u201c \u0000 \u00df"
PIECES = st.sampled_from([*WORDS.split(), *MORE.split(" "), "\n", "\n- "])


@given(
    st.lists(PIECES, max_size=60).map(" ".join)
    | st.text(max_size=500)
    | st.lists(st.text(), max_size=70).map("\n".join)
)
def test_whatever_is_written_is_understood_or_refused(text: str) -> None:
    for state in (a_market(), a_spreading()):
        try:
            found = said(text, state)
        except NotUnderstood:
            continue
        lines = (*(write(found.plan) if found.plan else ()), *(write_always(found.always) if found.always else ()))
        if lines and not found.forget:
            assert read(lines, state, "red") == found._replace(show=False)


@given(st.text(max_size=2000))
def test_whether_a_line_begins_a_plan_is_always_known(text: str) -> None:
    assert begins(text) in (True, False)
    assert cleaned(cleaned(text)) == cleaned(text)


@pytest.mark.parametrize(
    "line", ["planned it well", "planning", "iffy", "alwaysland", "the plan was good", "unforgettable", "plan's over"]
)
def test_other_words_do_not_begin_a_plan(line: str) -> None:
    assert not begins(line)


def test_no_line_that_is_told_about_a_plan_begins_like_one() -> None:
    """Wherever a mail client wraps it: what comes back in a reply must not be taken for a plan."""
    states = (a_market(), a_spreading(), a_placement())
    texts = [text for _, _, text in SPELLINGS]
    for state in states:
        for text in texts:
            told = all_told(f"{text}\nalways decline 8\nalways drop least", state)
            assert [line for line in told if begins(line)] == []


def all_told(text: str, state: GameState) -> tuple[str, ...]:
    """Return what is told about these lines; an explanation word by word, since it can be wrapped at any."""
    try:
        found = said(text, state)
    except NotUnderstood as error:
        return tuple(reason.message for reason in error.reasons)
    return tuple(word for sentence in explain(found.plan, found.always, state) for word in sentence.split(" "))
