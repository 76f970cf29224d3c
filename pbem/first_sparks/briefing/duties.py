"""What somebody is asked to do, in words: one table for letters, subjects, the replay and the answers of commands."""

from typing import Final, NamedTuple, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.briefing.words import counted, numbered, tile_text
from pbem.first_sparks.state import GameState
from pbem.locale import tr


class Duty(NamedTuple):
    """What texts say about something that is to be done; empty when the game is over.

    - *bare*: what it is, by itself, as in a subject.
    - *yours*: that the reader is asked to do it.
    - *theirs*: that somebody else is asked, ``{who}``.
    - *awaited*: that the game waits for somebody.
    - *first*: that chance must do it before anything else.
    """

    bare: str = ""
    yours: str = ""
    theirs: str = ""
    awaited: str = ""
    first: str = ""


JOINING: Final = Duty(
    bare="join",
    yours="You are asked to join.",
    theirs="{who} is asked to join.",
    awaited="Waiting for {who} to join.",
)


def duty_of(state: GameState) -> Duty:
    """Return what texts say about what is asked of whoever decides, in English, with holes."""
    match state.phase:
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() as phase:
            return _draw(phase)
        case phases.Laying() | phases.SettlingNeutral() | phases.Settling() | phases.Adding() as phase:
            return _placement(phase)
        case phases.Offering() | phases.Answering() | phases.TakingOrDiscarding() | phases.Dropping() as phase:
            return _technology(phase)
        case phases.Starving() | phases.SpreadingNeutral() | phases.Spreading() as phase:
            return _members(phase)
        case phases.Ended() | None:
            return Duty()
        case _ as unreachable:
            assert_never(unreachable)


def _draw(phase: phases.DealingHerbs | phases.DrawingTile | phases.DrawingCard) -> Duty:
    match phase:
        case phases.DealingHerbs():
            return Duty(
                bare="deal the Herbs",
                yours="You are asked to deal the Herbs.",
                theirs="{who} is asked to deal the Herbs.",
                awaited="Waiting for {who} to deal the Herbs.",
                first="Chance must deal the Herbs first.",
            )
        case phases.DrawingTile():
            return Duty(
                bare="draw a landscape tile",
                yours="You are asked to draw a landscape tile.",
                theirs="{who} is asked to draw a landscape tile.",
                awaited="Waiting for {who} to draw a landscape tile.",
                first="Chance must draw a landscape tile first.",
            )
        case phases.DrawingCard():
            return Duty(
                bare="draw a card",
                yours="You are asked to draw a card.",
                theirs="{who} is asked to draw a card.",
                awaited="Waiting for {who} to draw a card.",
                first="Chance must draw a card first.",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _placement(phase: phases.Laying | phases.SettlingNeutral | phases.Settling | phases.Adding) -> Duty:
    match phase:
        case phases.Laying():
            return Duty(
                bare="lay {tile}",
                yours="You are asked to lay {tile}.",
                theirs="{who} is asked to lay {tile}.",
                awaited="Waiting for {who} to lay {tile}.",
            )
        case phases.SettlingNeutral():
            return Duty(
                bare="place the first member of the neutral clan",
                yours="You are asked to place the first member of the neutral clan.",
                theirs="{who} is asked to place the first member of the neutral clan.",
                awaited="Waiting for {who} to place the first member of the neutral clan.",
            )
        case phases.Settling():
            return Duty(
                bare="place a first member",
                yours="You are asked to place a first member.",
                theirs="{who} is asked to place a first member.",
                awaited="Waiting for {who} to place a first member.",
            )
        case phases.Adding():
            return Duty(
                bare="add a second member or stay",
                yours="You are asked to add a second member or stay.",
                theirs="{who} is asked to add a second member or stay.",
                awaited="Waiting for {who} to add a second member or stay.",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _technology(phase: phases.Offering | phases.Answering | phases.TakingOrDiscarding | phases.Dropping) -> Duty:
    match phase:
        case phases.Offering():
            return Duty(
                bare="offer a card or pass",
                yours="You are asked to offer a card or pass.",
                theirs="{who} is asked to offer a card or pass.",
                awaited="Waiting for {who} to offer a card or pass.",
            )
        case phases.Answering():
            return Duty(
                bare="buy or decline {card}",
                yours="You are asked to buy or decline {card}.",
                theirs="{who} is asked to buy or decline {card}.",
                awaited="Waiting for {who} to buy or decline {card}.",
            )
        case phases.TakingOrDiscarding():
            return Duty(
                bare="take or discard {card}",
                yours="You are asked to take or discard {card}.",
                theirs="{who} is asked to take or discard {card}.",
                awaited="Waiting for {who} to take or discard {card}.",
            )
        case phases.Dropping():
            return Duty(
                bare="discard a tool",
                yours="You are asked to discard a tool.",
                theirs="{who} is asked to discard a tool.",
                awaited="Waiting for {who} to discard a tool.",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _members(phase: phases.Starving | phases.SpreadingNeutral | phases.Spreading) -> Duty:
    match phase:
        case phases.Starving():
            return Duty(
                bare="choose {members} to starve",
                yours="You are asked to choose {members} to starve.",
                theirs="{who} is asked to choose {members} to starve.",
                awaited="Waiting for {who} to choose {members} to starve.",
            )
        case phases.SpreadingNeutral():
            return Duty(
                bare="place {members} of the neutral clan",
                yours="You are asked to place {members} of the neutral clan.",
                theirs="{who} is asked to place {members} of the neutral clan.",
                awaited="Waiting for {who} to place {members} of the neutral clan.",
            )
        case phases.Spreading():
            return Duty(
                bare="spread or stay",
                yours="You are asked to spread or stay.",
                theirs="{who} is asked to spread or stay.",
                awaited="Waiting for {who} to spread or stay.",
            )
        case _ as unreachable:
            assert_never(unreachable)


def told(message: str, state: GameState, who: str = "") -> str:
    """Return one of the messages of the state's task, with its holes filled; *who* is asked, in words."""
    return tr(message).format_map(holes_of(state) | {"who": who})


def holes_of(state: GameState) -> dict[str, str]:
    """Return what fills the holes of messages about the state's task, besides who is asked."""
    match state.phase:
        case phases.Laying(tile=tile):
            return {"tile": tile_text(state, tile)}
        case phases.Answering(card=number) | phases.TakingOrDiscarding(card=number):
            return {"card": numbered(state, number)}
        case phases.Starving(hungry=number) | phases.SpreadingNeutral(new=number):
            return {"members": counted(number, "members")}
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            return {}
        case phases.SettlingNeutral() | phases.Settling() | phases.Adding():
            return {}
        case phases.Offering() | phases.Dropping() | phases.Spreading():
            return {}
        case _ as unreachable:
            assert_never(unreachable)
