"""The words of a plan: lines of a player -> a plan, or everything that is wrong with them, never half a plan.

Nothing here is guessed: a line is understood wholly, or the plan is refused.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

from pbem.errors import NotUnderstood, Violation
from pbem.first_sparks.clans import card_name, clan_name
from pbem.first_sparks.plans.check import contradictions, impossible
from pbem.first_sparks.plans.lines import LONGEST_LINE, MOST_LINES, Thought, cleaned, thoughts
from pbem.first_sparks.plans.plan import (
    LEAST,
    NOBODY,
    SOMEBODY,
    Acceptance,
    Always,
    Placing,
    Plan,
    Wish,
    cards_in_game,
    market_ahead,
    on_the_table,
)
from pbem.first_sparks.plans.wishes import NoWish, class_of, wishes_in
from pbem.first_sparks.plans.words import plan_phrase
from pbem.first_sparks.state import GameState
from pbem.grammar import phrase_listed, unaccented
from pbem.locale import phrase, phrase_of

MOST_WRONG: Final = 20
# In parentheses, so that no line of a letter begins as a plan does.
HINT: Final = "for example (plan 14 19 else pass), (plan decline 22) or (plan drop least), without the parentheses"
_ELSE_DECLINE: Final = (
    '"else decline" may mean two things: cards of others that you do not name are declined anyway, so leave it out; or '
    'write "else pass" to give up your own turn too'
)
_LEAD: Final = re.compile(r"(?:(?:is|to|i|i'll|i will|please|just|then|and|me)(?:\s+|$)|[,:]\s*)+")
_ELSE: Final = re.compile(
    r"[\s,;.]*(?:(?:^|\s)(?:or |and |if not )?(?:else|otherwise)[\s,:]+(?:i (?:will )?|please |just )?"
    r"|(?:^|\s)(?:or|then) )"
    r"(pass|decline|nothing|ask|stay)(?: me)?$"
)
_LAST_WORD: Final = re.compile(r"(?<=[\w)])[\s,]+(pass|ask)(?: me)?$")
_WANT: Final = r"(?:wants?|buys?|takes?|(?:has |have )?(?:said|says?) yes(?: to)?)"
_CONDITION: Final = re.compile(
    rf"^(.*?)[\s,]*\b(?:only )?(if|unless) (.+?) (?:else )?{_WANT}(?: (?:it|that|this|them|one|the card))?$"
)
_IF_WANTED: Final = re.compile(
    rf"^(.+?) {_WANT} (?:it|(.+?))[\s,:]+(?:then )?(?:i )?(?:will )?buy(?: (?:it|that|them|(.+)))?$"
)
_IF_OFFERED: Final = re.compile(
    r"^(?:(?:somebody|someone|anybody|anyone) offers (.+?)|(.+?) (?:is|are|gets) offered)"
    r"[\s,:]+(?:then )?(?:i )?(?:will )?(buy|decline)(?: (?:it|that|them))?$"
)
_NEW: Final = re.compile(
    r"(?:(decline|ask)(?: me)?(?: about)?(?: all| any)? new(?: cards?| ones?)?"
    r"|(?:any |all )?new(?: cards?| ones?)?[\s:,=]*(?:is|are)?\s*(decline|ask)d?(?: me| it| them)?)"
)
_ALL: Final = re.compile(r"(?:all|everything|anything|any cards?|all cards|each card|every card)")
_LEAST: Final = re.compile(r"(?:the |my )?least(?: (?:useful|valuable|important))?(?: (?:one|tool|card))?")
_SPACE: Final = re.compile(r"([a-z])[ -]?([12])[ -]?([abc])")
_BETWEEN_RANKS: Final = re.compile(
    r"[,;.&+/>\u2192:()]|\b(?:to|on|and|then|or|else|otherwise|at|in|into|spaces?|next|first)\b"
)
_BETWEEN_SPACES: Final = re.compile(r"[,;.&+:()]|\b(?:to|on|and|at|in|into|spaces?)\b")
_MOST: Final = re.compile(r"[\s,]*\b(?:for )?(?:at most|up to|max(?:imum)?|no more than)\.? (\d{1,3})(?: foods?)?$")
# With the verb last, as some languages have it: "9 buy", "14 19 buy else pass".
_VERB: Final = r"(buy|offer|decline|drop|settle|add|spread)"
_VERB_LAST: Final = re.compile(
    rf"(?!{_VERB}\b)((?:(?!\b(?:else|otherwise|then|or)\b).)+?)(?:[\s,:]+(?:i|it|them|the|please))*[\s,:]+{_VERB}"
    r"(?: (?:it|them))?(?=$|[\s,;.]+(?:else|otherwise|or less|at most|up to|only|if|unless)\b)"
)
_SHOW: Final = re.compile(r"(?:\?|show|show me|what|status)?\??")
_FORGET: Final = re.compile(
    r"(?:(?:about )?(?:it|them|(?:(?:my |the |all |every )*(?:plans?|always|everything))))?"
    r"(?:,? and (?:the |my )?(?:plans?|always))?(?:,? please)?[.!]?"
)
_SOMEBODY: Final = dict.fromkeys(("somebody", "someone", "anybody", "anyone"), SOMEBODY)
_WHO: Final = {**dict.fromkeys(("nobody", "no one", "noone", "no-one", "none"), NOBODY), **_SOMEBODY}
_OPPOSITE: Final = {NOBODY: SOMEBODY, SOMEBODY: NOBODY}


class PlanLines(NamedTuple):
    """What the lines say: a new plan and new rules, None where nothing changes; or to show them, or to forget them."""

    plan: Plan | None = None
    always: Always | None = None
    show: bool = False
    forget: bool = False


def read(lines: Sequence[str], state: GameState, colour: str) -> PlanLines:
    """Return what a player's lines say in this game; raises NotUnderstood with everything that is wrong.

    The lines begin with ``plan``, ``always``, ``if`` or ``forget``, or go on with one that does. *state* is the
    game when they were written; nothing of it is used but what everybody knows, and the clan of that *colour*.
    """
    wrong: list[str] = []
    if len(lines) > MOST_LINES:
        wrong.append(phrase("it has {n} lines; a plan has at most {most}", n=len(lines), most=MOST_LINES))
    elif any(len(line) > LONGEST_LINE for line in lines):
        wrong.append(phrase("one of its lines has more than {n} characters", n=LONGEST_LINE))
    if wrong:
        raise refused(wrong)
    reader = _PlanReader(state, colour, wrong)
    for thought in thoughts(lines):
        reader.take(thought)
    said = reader.result()
    if said.plan is not None:
        wrong += contradictions(said.plan)
        wrong += impossible(said.plan, state)
    if wrong:
        raise refused(wrong)
    if said == PlanLines():
        raise refused([phrase("it is empty")])
    return said


def refused(wrong: Iterable[str]) -> NotUnderstood:
    """Return the error for a plan with all that is wrong with it."""
    told = list(dict.fromkeys(wrong))
    more = len(told) - MOST_WRONG
    if more > 0:
        told[MOST_WRONG:] = [phrase_of(more, "and {n} more", "and {n} more")]
    reasons = tuple(Violation("", why) for why in told)
    why = phrase("the plan was not understood, and nothing of it is kept")
    return NotUnderstood(why, reasons=reasons, hint=phrase(HINT))


class _PlanReader:
    """Collects what thoughts say, and what is wrong with them."""

    def __init__(self, state: GameState, colour: str, wrong: list[str]) -> None:
        self.state: Final = state
        self.colour: Final = colour
        self.wrong: Final = wrong
        self.cards: Final = cards_in_game(state.components, len(state.clans))
        self.plan: Final[dict[str, Any]] = {}
        self.always: Final[dict[str, Any]] = {}
        self.show = False
        self.forget = False
        self.thought = Thought("plan", "")

    def result(self) -> PlanLines:
        """Return what all thoughts together say."""
        state = self.state
        begun = Plan(self.colour, on_the_table(state), state.round, market_ahead(state, self.colour))
        plan = begun._replace(**self.plan) if self.plan else None
        always = Always(**self.always) if self.always else None
        return PlanLines(plan, always, self.show and not (plan or always or self.forget), self.forget)

    def take(self, thought: Thought) -> None:
        """Take in one thought."""
        self.thought = thought
        try:
            match thought.head:
                case "plan":
                    self._plan(_bare(thought.body))
                case "always":
                    self._always(_bare(thought.body))
                case "if":
                    self._if(thought.body.strip(" ,.;:!"))
                case "forget":
                    if not _FORGET.fullmatch(thought.body.strip(" ,;:")):
                        raise NoWish(phrase('write "forget" alone, which means no plan and no rule that holds always'))
                    self.forget = True
        except NoWish as why:
            self.wrong.append(phrase('in "{line}": {why}', line=thought.shown, why=why.args[0]))

    def _plan(self, body: str) -> None:
        if _SHOW.fullmatch(body):
            self.show = True
            return
        if _FORGET.fullmatch(body.removeprefix("forget").strip()) and body.startswith("forget"):
            self.forget = True
            return
        if about_new := _NEW.fullmatch(body):
            self._set("new", about_new[1] or about_new[2])
            return
        word, _, rest = body.partition(" ")
        word, rest = word.rstrip(":,"), rest.strip(" ,:")
        if word in ("spread", "stay", "settle", "add"):
            self._places(word, rest)
        elif word in ("drop", "take", "discard"):
            self._tool(word, rest)
        elif word == "decline" and not _ALL.fullmatch(rest):
            self._more("declines", self._wishes(rest))
        elif (word == "decline" and _ALL.fullmatch(rest)) or (word == "pass" and not rest):
            self._set("passes", True)
        elif word == "new":
            raise NoWish(phrase('a plan says "new decline" or "new ask"'))
        else:
            self._market(body)

    def _market(self, body: str) -> None:
        """Take in a ranking, what to buy, or what to offer, and what is done otherwise."""
        ends = _ELSE.search(body)
        if ends is None and not body.startswith(("buy", "offer")):
            ends = _LAST_WORD.search(body)
        if ends:
            if ends[1] == "stay":
                raise NoWish(phrase('"else stay" is for spreading; here write "else pass" or "else ask"'))
            if ends[1] == "decline":
                raise NoWish(phrase(_ELSE_DECLINE))
            self._set("otherwise", "pass" if ends[1] == "nothing" else ends[1])
            body = body[: ends.start()].strip(" ,;.")
            if not body:
                return
        word, _, rest = body.partition(" ")
        match word.rstrip(":,"):
            case "buy":
                self._more("buys", self._purchases(rest))
            case "offer":
                self._set("offers", self._wishes(rest))
            case _:
                if _CONDITION.match(body):
                    raise NoWish(phrase('only "buy" has a condition, for example "buy 14 if nobody wants it"'))
                self._set("ranking", self._wishes(body))

    def _purchases(self, text: str) -> tuple[Acceptance, ...]:
        condition = _CONDITION.match(text)
        if condition is None:
            if re.search(r"\b(?:if|unless)\b", text):
                raise NoWish(
                    phrase('a condition is "if nobody wants it", "if somebody wants it" or "if" with a player\'s name')
                )
            return tuple(map(Acceptance, self._wishes(text)))
        wanted_by = self._who(condition[3])
        if condition[2] == "unless":
            if wanted_by not in _OPPOSITE:
                raise NoWish(phrase('"unless" can only be followed by "nobody wants it" or "somebody wants it"'))
            wanted_by = _OPPOSITE[wanted_by]
        return tuple(Acceptance(wish, wanted_by) for wish in self._wishes(condition[1]))

    def _who(self, said: str) -> str:
        """Return whose answers count: nobody, somebody, or the colour of another player, who may be named."""
        name = said.strip(" ,.;:()\"'")
        name = _WHO.get(name.removesuffix(" else"), name)
        if name in _OPPOSITE:
            return name
        for clan in self.state.clans:
            if unaccented(name) in (clan.colour, unaccented(cleaned(clan.player))):
                if clan.colour == self.colour:
                    raise NoWish(phrase("the condition is about the others, not about yourself"))
                return clan.colour
        if re.search(r"n't\b|\b(?:not|never)\b", name):
            why = phrase(
                'a condition says who wants a card, not who does not: "if nobody wants it", "if somebody wants it" or '
                '"if" with a name'
            )
            raise NoWish(why)
        others = [clan for clan in self.state.clans if clan.colour != self.colour]
        players = phrase_listed(map(clan_name, others), "or")
        why = phrase("no player has that name or colour; write nobody, somebody, or one of {players}", players=players)
        raise NoWish(why)

    def _tool(self, word: str, rest: str) -> None:
        """Take in what to do with a tool too many, and with the first offer of two players."""
        if word != "drop":
            shown = plan_phrase(word)
            if rest not in ("", "it"):
                raise NoWish(phrase('"{word}" stands alone: it is about the card that you offered', word=shown))
            if not self.state.two_players:
                raise NoWish(phrase('"{word}" is only asked when two play', word=shown))
            self._set("take", word)
        elif _LEAST.fullmatch(rest):
            self._set("drop", LEAST)
        else:
            found = re.fullmatch(r"(?:the |card |tool |no\. ?)*#?\s?0{0,2}(\d{1,3})(?: ([a-z]+))?", rest)
            card = self.state.components.cards.get(int(found[1])) if found else None
            if card is None or not card.is_tool:
                raise NoWish(phrase('"drop" needs the number of one tool, or "least"'))
            if found and found[2] and class_of(found[2]) != card.kind and found[2] not in (card.kind, "tool"):
                raise NoWish(phrase("{card} is the tool of that number", card=card_name(card)))
            self._set("drop", card.number)

    def _places(self, word: str, rest: str) -> None:
        """Take in where members go."""
        ends = _ELSE.search(rest)
        if ends:
            if ends[1] in ("pass", "decline"):
                raise NoWish(phrase('"else pass" is for the market; here write "else stay" or "else ask"'))
            rest = rest[: ends.start()]
        limit = _MOST.search(rest)
        if limit:
            rest = rest[: limit.start()]
        if word == "stay":
            if rest or limit or ends:
                raise NoWish(phrase('"stay" stands alone'))
            self._set("stay", True)
            return
        neutral = re.match(r"(?:the )?neutral(?: clan)?\b", rest)
        spaces = _spaces(rest[neutral.end() if neutral else 0 :], is_ranking=word != "spread")
        if (neutral or word == "settle") and (limit or ends):
            raise NoWish(phrase('this costs nothing, so that it has no "at most" and no "else"'))
        if neutral and word == "add":
            raise NoWish(phrase('the neutral clan adds nobody; write "settle neutral" or "spread neutral"'))
        if neutral or word == "settle":
            self._set(f"{word}_neutral" if neutral else word, spaces)
        else:
            stays = ends is not None and ends[1] in ("stay", "nothing")
            self._set(word, Placing(spaces, int(limit[1]) if limit else None, stays))

    def _always(self, body: str) -> None:
        word, _, rest = body.partition(" ")
        if word == "drop" and _LEAST.fullmatch(rest):
            self.always["least"] = True
        elif word == "decline" and not _ALL.fullmatch(rest):
            self.always["declines"] = self.always.get("declines", ()) + self._wishes(rest)
        else:
            raise NoWish(phrase('a rule that holds always is "drop least" or "decline" with cards or classes'))

    def _if(self, body: str) -> None:
        """Take in a condition that comes first: ``if nobody wants 14, buy it``."""
        wanted, offered = _IF_WANTED.match(body), _IF_OFFERED.match(body)
        if wanted and bool(wanted[2]) != bool(wanted[3]):
            wishes, wanted_by = self._wishes(wanted[2] or wanted[3]), self._who(wanted[1])
            self._more("buys", tuple(Acceptance(wish, wanted_by) for wish in wishes))
        elif offered:
            wishes = self._wishes(offered[1] or offered[2])
            if offered[3] == "buy":
                self._more("buys", tuple(map(Acceptance, wishes)))
            else:
                self._more("declines", wishes)
        else:
            raise NoWish(phrase('a condition is written like "plan buy 14 if nobody wants it"'))

    def _wishes(self, text: str) -> tuple[Wish, ...]:
        return wishes_in(text, self.cards, self.thought.own)

    def _set(self, key: str, value: object) -> None:
        """Say something once; to say the same again does no harm, except in a list."""
        if key in self.plan and (self.plan[key] != value or isinstance(value, tuple)):
            raise NoWish(phrase("{twice}; put both into one line, or leave one out", twice=phrase(_SAID_BEFORE[key])))
        self.plan[key] = value

    def _more(self, key: str, values: tuple[object, ...]) -> None:
        """Say more of something, nothing twice."""
        known = cast("tuple[object, ...]", self.plan.get(key, ()))
        twice = [value for value in values if value in known]
        if twice:
            raise NoWish(phrase("{twice}; leave one out", twice=phrase(_SAID_BEFORE[key])))
        self.plan[key] = known + values


_SAID_BEFORE: Final = {
    "ranking": "an earlier line already says which cards you want, the best first",
    "otherwise": "an earlier line already says what happens otherwise",
    "buys": "an earlier line already says to buy that",
    "declines": "an earlier line already says to decline that",
    "passes": "an earlier line already says to pass",
    "offers": "an earlier line already says what to offer",
    "new": "an earlier line already says what happens to new cards",
    "drop": "an earlier line already says which tool to drop",
    "take": "an earlier line already says to take or discard the card",
    "spread": "an earlier line already says where to spread",
    "spread_neutral": "an earlier line already says where the neutral clan spreads",
    "stay": "an earlier line already says to stay",
    "settle": "an earlier line already says where to settle",
    "settle_neutral": "an earlier line already says where the neutral clan settles",
    "add": "an earlier line already says where to add a member",
}


def _bare(body: str) -> str:
    """Return a thought without the words that people write before its first one, which is its verb if it has one."""
    lead = _LEAD.match(body)
    bare = body[lead.end() if lead else 0 :].strip(" ,;:.!")
    last = _VERB_LAST.match(bare)
    return f"{last[3]} {last[2]}{bare[last.end() :]}" if last else bare


def _spaces(text: str, *, is_ranking: bool) -> tuple[str, ...]:
    """Return the spaces that a text names; raises NoWish, also for alternatives where all are taken together."""
    found = [f"{letter.upper()}{hexagon}{space}" for letter, hexagon, space in _SPACE.findall(text)]
    between = _BETWEEN_RANKS if is_ranking else _BETWEEN_SPACES
    left = between.sub(" ", _SPACE.sub(" ", text)).split()
    if left and left[0] in ("or", "then", ">", "/"):
        raise NoWish(phrase('spaces to spread to are all taken together; write them without "{word}"', word=left[0]))
    if left:
        raise NoWish(phrase('"{word}" is not a space; write a space like A1a', word=left[0]))
    if not found:
        raise NoWish(phrase("no space is named; write a space like A1a"))
    if len(set(found)) < len(found):
        raise NoWish(phrase("a space is named twice; name it once"))
    return tuple(found)
