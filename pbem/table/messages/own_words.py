"""The words of the letters that a player has got, by which a reply that repeats them unmarked is recognised."""

from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Final

from pbem.first_sparks.briefing.news import below_headings, chapters_of, news, parts_of
from pbem.first_sparks.briefing.primer import primer
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.waves import as_asked
from pbem.first_sparks.record import History, Record, at_turn
from pbem.first_sparks.rules.game_end import ENDING_SIZE
from pbem.game_files import own_set
from pbem.locale import speaking, tr
from pbem.page.html import Tap, Taps, html_of
from pbem.page.page import Page, Section, Sections
from pbem.page.plain import in_lists
from pbem.page.text import lines_of_section
from pbem.reading.ticket import marker_of, ticket
from pbem.rulings import orders_of, since
from pbem.table.letters import motions as texts
from pbem.table.letters.ending import proof, whole_game
from pbem.table.letters.harmless import buttons, harmless, note_sections, written
from pbem.table.letters.headlines import by_situation, first_line
from pbem.table.letters.help import AT_ANY_TIME, HOW_IT_GOES, OTHER_LANGUAGES, PLANS, PLANS_END, REQUESTS, forms_listed
from pbem.table.letters.letter import TAP, Button, paragraphs
from pbem.table.letters.notices import opponents, who_plays
from pbem.table.letters.receipts import LAST_RECEIPT, were_played
from pbem.table.letters.situation import NO_ANSWERS, asked_at_once, in_order, planning, with_blocks
from pbem.table.minutes import NamedMotion
from pbem.table.people import Player
from pbem.table.requests.kinds import requests_listed
from pbem.table.table import House


def words_of_letter(
    house: House, record: Record, player: Player, turn: int, note: str = "", moved: Iterable[NamedMotion] = ()
) -> str:
    """Return the words, one blank apart, of a letter to the player about the game at the end of that turn.

    *note* is the player's own, which must not be told to the table where a reply repeats it. *moved* are the
    motions of the game, which letters tell.

    They do not include what such a letter says about the message that it answers.
    """
    with speaking(player.language):
        return _words_of_letter(house, record, player, turn, note, moved)


def _words_of_letter(
    house: House, record: Record, player: Player, turn: int, note: str, moved: Iterable[NamedMotion]
) -> str:
    then = at_turn(record, turn)
    history = since(then, player.colour)
    own = ticket(player.key, then.game, player.colour, then.turn)
    says = by_situation(player, then.state, then.turn, then.history)
    marker = marker_of(own, then.head)
    pages = [Page((*_sections(house, then, player, history), *_ending(then)), first_line(own, says), marker)]
    early = then._replace(state=as_asked(then.state, player.colour)) if house.waves else then
    if early.state is not then.state:  # a letter to several who are asked at the same time
        says = by_situation(player, early.state, early.turn, early.history)
        pages.append(Page(_sections(house, early, player, history), first_line(own, says), marker))
    if player.reads_lists:
        pages.append(in_lists(Page(_sections(house, early, player, history, plain=True))))
    pages.append(Page(paragraphs(texts.of_letters(moved, then, player.colour))))
    shown = (text for page in pages for text in (written(page), _shown(page, buttons(early.state, player.colour))))
    who = who_plays(then, player.colour, house.host)
    asking, planning_ahead = (tr(REQUESTS), *requests_listed()), (tr(PLANS), *forms_listed(), tr(PLANS_END))
    introduced = (tr(house.how_to_play), tr(AT_ANY_TIME), tr(OTHER_LANGUAGES))
    help_texts = (*introduced, tr(house.help), *asking, *planning_ahead)
    others = opponents(then, player.colour)
    older = (text.format(game=then.game, colour=player.colour, others=others, host=house.host) for text in _OLDER)
    eight_lines = (f"- {line}" for line in primer())  # with the bullet, which some programs keep beside their own
    noted = (line for section in note_sections(note) for line in lines_of_section(section))
    receipt = (were_played([str(entry.move)]) for entry in orders_of(then, player.colour)[-1:])
    text = (
        *shown,
        tr(NO_ANSWERS),
        tr(texts.NO_LONGER),
        tr(texts.ANSWER_THIS),
        *noted,
        *receipt,
        tr(LAST_RECEIPT),
        who,
        tr(HOW_IT_GOES),
        *eight_lines,
        *help_texts,
        *older,
    )
    return " ".join(" ".join(text).split())


def _sections(house: House, then: Record, player: Player, history: History, *, plain: bool = False) -> Sections:
    """Return what a letter says about the game, with the news in every form in which letters have them.

    Letters to a player who wants news of every move are not folded, and those of earlier versions had no headings.
    """
    shown = for_letter(
        then.state,
        player.colour,
        history,
        game=then.game,
        turn=then.turn,
        own_set=own_set(then),
        to_answer=tr(house.to_answer),
        course=then.history,
        plain=plain,
    )
    every = below_headings(chapters_of(parts_of(history)))
    told = with_blocks(shown, asked_at_once(then.state, player.colour))
    ahead = planning(then.state, player.colour)
    return (*in_order(told, ahead=ahead), Section("happened", (*every, news(history))))


def _ending(record: Record) -> Sections:
    """Return what letters about a game that is over say besides its situation, with everything attached."""
    if not isinstance(record.state.phase, Ended):
        return ()
    return (*whole_game(f"{record.game}.toml", f"{record.game}.html"), *proof(record, f"{record.game}.toml"))


# What letters of earlier versions said instead: a reply to one of those may still come.
_OLDER: Final = (
    '"news every": a letter after every move, yours included',
    'From now on no receipt comes unless you write "news every".',
    "This is {game}, a game of The First Sparks. You play {colour}, with {others}. Your host is {host}.",
    f"How to win: the game ends in the round in which a clan has {ENDING_SIZE} members. The clan with the most members "
    "wins, and of two equal ones the clan with more food. So spread over the board. New members cost food, and in "
    "every round each member eats 1 food. Tools hunt that food in the areas where your clan stands, and knowledge "
    "bends the rules in your favour. You buy both as cards, also for food. A third of the food that you keep rots, "
    "until you know fire.",
    f"How to win: the game ends in the round in which a clan reaches {ENDING_SIZE} members. The largest clan wins; "
    "among equally large ones, the one with more food. So spread across the board. Every new member costs food, and "
    "every member eats 1 food each round. Tools harvest food in the hunting areas where your clan lives, and knowledge "
    "bends the rules in your favour. Both are technology cards, which you buy with food as well. A third of the food "
    "you keep rots every round, until your clan knows fire.",
    '"options": everything that is legal now',
    '"rules R4.5": the rule with that number',
    "How to play: you get a letter when it is your turn, and it has all that you need to decide. Press reply, write "
    "your order at the very top, and send. Whatever else you write is told to the other players. Your first order "
    'gets a receipt; later you hear only of orders that were not played, unless you write "news every". Write "help" '
    "to see what else you can ask for.",
    'How to play: you get a letter in your folder "letters" when it is your turn, and it has all that you need to '
    'decide. Put a text file with your order into the folder "answers". Whatever else you write there is told to the '
    "other players. Your first order gets a receipt; later you hear only of orders that were not played, unless you "
    'write "news every". Write "help" to see what else you can ask for.',
    "You play by answering my letters. Press reply, write your order at the very top, and send. Leave the rest of the "
    "letter as it is, or delete all of it. Write one order a line; several are played in turn, all or none. You get an "
    "answer if an order could not be played. All else that you write is told to the others in their next letter.",
    'You play by text files that you put into your folder "answers". Write one order a line; several are played in '
    "turn, all or none. You get a letter if an order could not be played. All else that you write is told to the "
    "others in their next letter.",
    'You can also write: "show" for the situation, "options" for all that is legal now, "rules R4.5" for a rule, '
    '"news every", "news turn" or "news none" to hear of every move, yours too, only when you are asked, or nothing, '
    '"absent until 2026-12-31" and "back" when you are away, "resign" to leave the game.',
    'At any time you may write "resign", or "agree end": the game ends when everyone has agreed.',
    "You can combine these spaces in other ways, if each is next to your clan or to another space that you name. "
    "Together they cost the base cost of their number, what each has under shared, and 1 for each mountain on the "
    "cheapest way to all of them.",
    "Every space in reach, with the cheapest way there. ^ and shared: extra cost of this space. Harvest: what your "
    "next one would be worth; now it is",
    "Every space in reach, with the cheapest way there. + is what this space adds to the base cost: ^1 for a mountain, "
    "+2 for sharing it. next and then are the worth of your next two harvests, now place is yours in the next player "
    "order.",
    "If nobody wants it, you must buy it.",
    "If the other player does not buy this first card, you may discard it instead of buying it.",
    "1 Technology: offer a card or pass; the last who wants it pays for it.",
    "Rot: after phase 1 a third of your food is lost, until you know fire.",
    "If others want the card you offer, the last of them in player order buys it, and you choose again.",
    "The two harvests are those of this round and of the next, if nothing else changes.",
    "new members 1 2 3 4 5 base cost 1 3 6 10 15",
    "You may also answer that you wait for the others.",
    'You may also say that you would buy "if nobody wants it", or that you wait for the others.',
    "Tap an answer, and send the mail that opens:",
    "To answer, press reply, write",
    "or another order at the very top, and send.",
)


def _shown(page: Page, answers: tuple[Button, ...]) -> str:
    """Return the words that a letter shows as HTML, with answers to tap and a picture of the board."""
    taps = Taps("question", tr(TAP), tuple(Tap(*answer, "") for answer in answers))
    reader = _Words()
    reader.feed(html_of(page, "", taps, pictures={"board": ""}, shown=harmless))
    reader.close()
    return " ".join(reader.seen)


class _Words(HTMLParser):
    """The words that a page shows as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_data(self, data: str) -> None:
        self.seen.append(data)
