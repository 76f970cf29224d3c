"""A letter as a mail: headers for its thread and its ticket, a text, a page with buttons, the picture."""

from collections.abc import Sequence
from urllib.parse import quote

from pbem.carriers.mail.outgoing.mime import PICTURE_ID, Mail
from pbem.carriers.mail.tickets import address_of, message_id_of
from pbem.locale import speaking, tr
from pbem.page.html import Tap, Taps, html_of
from pbem.reading.ticket import Ticket
from pbem.sha import sha256
from pbem.table.letters.harmless import harmless, written
from pbem.table.letters.letter import TAP, Letter


def mail_of(letter: Letter, address: str, *, plus: bool) -> Mail:
    """Return the mail that the adjudicator with that address sends.

    *plus* says whether replies to plus-addresses reach us.
    """
    with speaking(letter.language):
        own, host, text = letter.ticket, address.partition("@")[2], written(letter.page)
        reply_to = address_of(own, address) if own and plus else address
        return Mail(
            to=letter.to,
            name=letter.name,
            subject=letter.subject,
            text=text,
            html=_page(letter, own, reply_to) if own else "",
            png=letter.picture,
            message_id=_id(letter, text, address),
            references=(
                *((f"<{own.game}.thread@{host}>",) if own else ()),
                *((letter.in_reply_to,) if letter.in_reply_to else ()),
            ),
            reply_to=reply_to,
            sender=address,
            list_id=f"<{own.game}.{host}>" if own else "",
            unsubscribe=f"<{mailto(reply_to, 'stop', ('stop', '', *letter.page.marker))}>" if own else "",
            refuses=letter.error,
            replies=bool(letter.in_reply_to),
            language=letter.language,
            attached=letter.attached,
        )


def id_of(letter: Letter, address: str) -> str:
    """Return the Message-ID of the letter: the same letter always has the same one."""
    with speaking(letter.language):
        return _id(letter, written(letter.page), address)


def _id(letter: Letter, text: str, address: str) -> str:
    subject = () if letter.ticket else (letter.subject,)
    content = "\0".join((*subject, text, letter.to, letter.in_reply_to, str(letter.serial)))
    return message_id_of(letter.ticket or "notice", content, address)


def name_of(letter: Letter, data: bytes) -> str:
    """Return the name of a letter in the outbox: always the same one, so that the letter is there only once."""
    digest: str = sha256(data).hexdigest()
    game, turn = (letter.ticket.game, letter.ticket.turn) if letter.ticket else ("club", 0)
    return f"{game}-{turn:04}-{digest[:24]}"


def _page(letter: Letter, own: Ticket, reply_to: str) -> str:
    """Return the letter as a page with buttons, each a mail that proves who sends it."""
    thread = thread_of(own.game)
    mails = (mailto(reply_to, thread, (button.order, "", *letter.page.marker)) for button in letter.buttons)
    taps = tuple(Tap(*button, mail) for button, mail in zip(letter.buttons, mails, strict=True))
    pictures = {"board": f"cid:{PICTURE_ID}"} if letter.picture else {}
    shown = Taps("question", tr(TAP), taps)
    return html_of(letter.page, letter.subject, shown, pictures=pictures, language=letter.language, shown=harmless)


def thread_of(game: str) -> str:
    """Return the subject of the mails that our buttons begin: always the same, and recognised as a reply."""
    return f"Re: [{game}] The First Sparks"


def mailto(address: str, subject: str, body: Sequence[str]) -> str:
    """Return the mailto address of a mail that is ready to send, with those lines as its body.

    Everything is encoded: some mail programs read a bare ``+`` as a blank.
    """
    filled = {"subject": subject, "body": "\r\n".join(body)}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in filled.items())
    return f"mailto:{quote(address, safe='@')}?{query}"
