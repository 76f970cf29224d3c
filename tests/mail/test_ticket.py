"""A ticket comes back with any reply in one of three ways, and is worth nothing for anybody, any game or turn else."""

import pytest

from pbem.carriers.mail.tickets import LONGEST_LOCAL, address_of, message_id_of, tickets_in
from pbem.reading.ticket import LONGEST_GAME, Ticket, is_genuine, marker_of, ticket

KEY = bytes(range(32))
HEAD = "1a2b3c4d" + "0" * 56
ADDRESS = "pbem@example.org"
OWN = ticket(KEY, "friday", "red", 57)


def test_the_token_is_the_published_one() -> None:
    """HMAC-SHA256 over domain, game, colour and turn, 80 bits in Crockford's base 32: any language can check it."""
    assert OWN.token == "5e8nsmw3n18tr01t"  # noqa: S105


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(OWN._replace(game="monday"), id="another game"),
        pytest.param(OWN._replace(turn=58), id="another turn"),
        pytest.param(OWN._replace(colour="blue"), id="another colour"),
        pytest.param(OWN._replace(token=OWN.token[:-1] + ("0" if OWN.token[-1] != "0" else "1")), id="another token"),
        pytest.param(OWN._replace(token=""), id="no token"),
    ],
)
def test_a_ticket_is_worth_nothing_elsewhere(other: Ticket) -> None:
    assert is_genuine(OWN, KEY)
    assert not is_genuine(other, KEY)
    assert not is_genuine(OWN, bytes(32))


CARRIERS = {
    "address": ([address_of(OWN, ADDRESS)], [], []),
    "address in capitals": ([address_of(OWN, ADDRESS).upper()], [], []),
    "message id": ([], [message_id_of(OWN, "text", ADDRESS)], []),
    "marker": ([], [], list(marker_of(OWN, HEAD))),
    "marker in one": ([], [], [" ".join(marker_of(OWN, HEAD))]),
    "all": ([address_of(OWN, ADDRESS)], [message_id_of(OWN, "text", ADDRESS)], list(marker_of(OWN, HEAD))),
}


@pytest.mark.parametrize("name", CARRIERS)
def test_every_carrier_suffices(name: str) -> None:
    assert tickets_in(*CARRIERS[name]) == (OWN,)


def test_a_thread_counts_by_the_mail_that_is_answered() -> None:
    """References name all mails of the thread, the last one last; quotes in quotes come below the newest one."""
    before = ticket(KEY, "friday", "red", 51)
    ids = ["<friday.thread@example.org>", *(message_id_of(each, "text", ADDRESS) for each in (before, OWN))]
    markers = [*marker_of(OWN, HEAD), *marker_of(before, HEAD)]

    assert tickets_in((), [*ids, "<their-own@phone.example>"], ()) == (OWN,)
    assert tickets_in((), (), markers) == (OWN,)


def test_two_carriers_that_disagree_give_two_tickets() -> None:
    other = ticket(KEY, "friday", "red", 51)

    assert set(tickets_in([address_of(OWN, ADDRESS)], [], marker_of(other, HEAD))) == {OWN, other}


@pytest.mark.parametrize(
    "text", ["", "pbem@example.org", "pbem+@example.org", "pbem+friday.57.red@example.org", "\0" * 99]
)
def test_what_is_no_ticket_is_none(text: str) -> None:
    assert tickets_in([text], [text], [text]) == ()


def test_the_longest_names_fit_into_the_line_and_the_address() -> None:
    longest = Ticket("g" * LONGEST_GAME, 9999, "yellow", OWN.token)

    assert max(map(len, marker_of(longest, HEAD))) <= 72
    assert len(address_of(longest, "a" * LONGEST_LOCAL + "@example.org").partition("@")[0]) <= 64


def test_the_same_mail_has_the_same_id_and_another_one_another() -> None:
    assert message_id_of(OWN, "text", ADDRESS) == message_id_of(OWN, "text", ADDRESS)
    assert message_id_of(OWN, "text", ADDRESS) != message_id_of(OWN, "more", ADDRESS)
