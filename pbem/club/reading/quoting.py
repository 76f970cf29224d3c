# ruff: noqa: RUF001 -- the letters of many languages are meant
"""What the writer of a reply has written, as opposed to what comes from the letter that it answers.

No library that strips quotes is safe for orders: they guess for readers, who
do not mind an extra line. Here a line counts only if nothing suggests that it is
old; if that is uncertain, the line is doubtful, to be refused rather than played.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pbem.club.reading.pieces import pieces_of
from pbem.club.ticket import FIRST_LINE, MARKER

LONGEST_TEXT: Final = 128 * 1024  # characters of a reply, including everything that it quotes
_PHRASE: Final = re.sub(r"[\s=]", "", MARKER).lower()
# How the marker begins, or its second line if the first was deleted.
_SPACED_PHRASE: Final = r"(?i)" + r"\s*".join(_PHRASE) + r"|==\s*for\s+[a-z]{3,6}\s+only\s*:"

# How a quoted line begins: a > for each time it was quoted, after initials in some clients, or a bar in others.
_QUOTE: Final = r"\s{0,3}(?:[A-Za-z]{0,4}>|[|＞]|[»›](?!.{0,60}[«‹]))"
_QUOTED: Final = _QUOTE
_QUOTES: Final = f"(?:{_QUOTE})+\\s?"
_SIGNATURE: Final = r"\s*(?:--|—|–|_{20,}|-{5}BEGIN PGP SIGNATURE-{5})\s*"
# The name of a header; with a digit before the colon it is a time, as in ``On Tue, 3 Nov 2026 at 10:00``.
_LABEL: Final = r"\s*[*_]{0,2}[^\W\d][^:：@<>]{0,24}[*_]{0,2}(?<!\d)\s?[:：](?!//)"
_FROM: Final = (
    r"(?i)\s*[*_]{0,2}(?:from|von|de|da|van|från|fra|od|de la|lähettäjä|feladó|odesílatel|expéditeur|remitente|mittente"
    r"|gönderen|kimden|từ|από|от|от кого|від|发件人|發件人|寄件者|寄件人|差出人|送信者|送信元|보낸 ?사람|발신"
    r"|מאת|من|จาก)"
    r"[*_]{0,2}\s?[:：]"
)
_DASHED: Final = r"\s*[-_=*]{3,}\s*([^\W_].*?)\s*[-_=*]{3,}\s*"
_BRACKETED: Final = r"\s*\[([^\[\]]{1,40})\]\s*"
_OLD: Final = (
    r"(?i)origin|forward|repl|antwort|réponse|respuesta|risposta|nachricht|message|ursprünglich|weitergeleitet|transf[eé]r|inoltrat|reenviad|encaminhad|mensa(?:je|gem)|oorspronkelijk"
    r"|doorgestuurd|oryginaln|przekazan|исходн|пересыла|пересланн|вихідн|alkuperäinen|välitetty|opprinnelig|oprindelig"
    r"|vidaresänt|videresend|původní|přeposlan|eredeti|továbbított|orijinal|iletilen|αρχικό|προωθ|gốc|原|转发|轉寄|転送"
    r"|원본|전달|מקורית|הועבר|الأصلية|محول"
)
_WROTE: Final = (
    r"\b(?:wrote|writes|schrieb|schreibt|a écrit|écrit|escribió|escribio|escreveu|ha scritto|scrive|schreef|napisał"
    r"|skrev|kirjoitti|пишет|писал|написал|пише|написав|napsal|írta|yazdı|a scris|έγραψε|đã viết|geschreven|zitat von"
    r"|quoting|citando)|写道|寫道|のメッセージ|書きました|작성|كتب|كتابة|כתב|מאת"
)
_WROTE_END: Final = rf"(?i)(?:{_WROTE})\s?[.…]{{0,3}}$"
_TIME: Final = r"(?<!\d)\d{1,2}\s?[:.h時点]\s?\d\d(?!\d)"
_DAY: Final = r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]|(?<!\d)(?:19|20)\d\d(?!\d)"
# A day whose month has a name, English ones first: that alone is no header, but an old order may stand below it.
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|jui|aoû|déc|ene|abr|ago|dic"
_NAMED_DAY: Final = (
    rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:{_MONTHS})|\b(?:{_MONTHS})[^\W\d_]{{0,6}}\.? \d{{1,2}}(?!\d)"
)
_ADDRESS: Final = r"[<‹＜(\[]?\s?(?:mailto:\s?)?[^\s<>‹›()\[\]:@]{1,64}@[^\s<>‹›()\[\]@]{1,255}\s?[>›＞)\]]?"
_OPENING: Final = r"(?i)\W*(?:on|am|le|el|il|em|op|den|dne|w dniu)?\s*(?:\w{2,12}[.,]{1,2}\s*){0,2}\d"
_FORWARDED: Final = r"(?i)\W*(?:\w+ ){0,3}(?:forwarded|weitergeleiteten|transféré|inoltrat.) \w+\s?[:：]$"
_LETTERS: Final = r"[^\W\d_]+"
_ON: Final = r"(?i)\s*(?:on|am|le|el|il|em|op|den|dne|w dniu)\s"
# Our own subject as a program or a person repeats it above a quote; our first lines begin with their reader's name.
_SUBJECT: Final = r"\s*(?:[*_]{0,2}[^\W\d]{1,20}(?: [^\W\d]{1,12})?\s?[:：][*_]{0,2}\s*){1,4}\[[a-z0-9-]{1,40}\]"
_NAMED: Final = r"[\s*_]*[^\s,]{1,40}(?: [^\s,]{1,40}){0,4},(?: |$)"
_MOST_WRAPPED: Final = 8  # lines
_QUOTE_TAG: Final = r"(?i)\s*\[quote\b"
_MOST_WORDS: Final = 6  # besides the date or the address, of a line that introduces a quote
_ATTRIBUTION_END: Final = r"(?:[:：]|-{3,})[*_]{0,2}$"
_FOOTER: Final = (
    r"(?i)\s*(?:sent (?:from|with|using|via)|get outlook|gesendet (?:von|mit|über)|von meinem .{1,40} gesendet"
    r"|diese nachricht wurde|envoyé (?:de|depuis|à partir)|télécharger outlook|enviado (?:desde|do|de)|obtener outlook"
    r"|inviato da|verzonden (?:vanaf|met)|verstuurd vanaf|wysłan[eo] z|skickat från|sendt fra|lähetetty|odesláno z"
    r"|отправлено (?:из|с|со)|надіслано з|yahoo mail\s?:|发自我?的?|發自我?的?|寄件自|iPhone ?から送信|나의 iPhone에서"
    r"|-{5}BEGIN PGP SIGNED MESSAGE-{5}$|Hash: SHA\d+$|נשלח מה|أُرسل(?:ت)? من|أرسل(?:ت)? من|مرسل من)"
)
_CONFIDENTIAL: Final = (
    r"(?i)confidential|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk|poufn|конфиденциальн|机密|機密"
)
_LONGEST_DASHED: Final = 120
_LONGEST_MARK: Final = 200
_LONGEST: Final = 400  # columns of a line that can be a header or an attribution
_SURELY_TORN: Final = 3  # pieces of our letter below quoted lines
_NARROWEST: Final = 60  # the fewest columns at which a client wraps the lines that it quotes


class Written(NamedTuple):
    """The lines of a reply, and which of them are doubtful.

    ``lines`` are the writer's own; "" separates paragraphs. ``signature`` are the
    lines below the signature line, and ``beneath`` those below the place where the
    answered letter begins without quote marks. ``torn`` are lines that a client may
    have broken off a quoted line, ``notice`` the lines of a confidentiality notice.
    From the line ``doubtful`` on, the text may belong to an older message, since a
    line above it names a message's date or writer. ``quoted`` are the lines with quote marks.
    """

    lines: tuple[str, ...]
    signature: tuple[str, ...]
    beneath: tuple[str, ...]
    torn: tuple[str, ...]
    notice: tuple[str, ...]
    doubtful: int
    quoted: tuple[int, ...]


def written(text: str, letter: Callable[[], str] = str) -> Written:
    """Return what the writer of a reply has written, and what may or may not be the writer's.

    *letter* makes the words of the letter that is answered, one blank apart: unmarked pieces of it are not the
    writer's.

    Neither are an unquoted marker line and everything below it, quoted lines, or anything
    after a header block like Outlook's (``From: Sent: To: Subject:``, in any language),
    after ``-----Original Message-----``, or after an attribution (``On ... wrote:``)
    that no quoted line follows. The signature ends the writer's text.
    """
    lines = _lines(text)
    cut, kept = _original(lines)
    beneath = tuple(line for line in lines[cut + 1 :] if not is_quoted(line))
    lines = [*lines[:cut], *([kept] if kept else [])]
    end = next((i for i, line in enumerate(lines) if re.fullmatch(_SIGNATURE, line)), len(lines))
    signature = tuple(line for line in lines[end:] if not is_quoted(line))
    lines = lines[:end]
    attributions = _attributions(lines)
    ours = pieces_of(letter, tuple(map(unquoted, lines)), tuple(map(is_quoted, lines)), attributions)
    torn = _torn(lines, ours) - ours
    notice = _notice(lines)
    marks = _marks(lines) - attributions
    quoted = tuple(i for i, line in enumerate(lines) if is_quoted(line))
    gone = ours | torn | notice | attributions | _footers(lines) | marks | _first_lines(lines)
    own = ("" if is_quoted(line) or i in gone else line.strip() for i, line in enumerate(lines))
    torn_lines, notice_lines = (
        tuple(lines[i].strip() for i in sorted(found) if not is_quoted(lines[i])) for found in (torn, notice)
    )
    first = min((i for i in marks if not _is_followed_by_a_quote(lines, i)), default=len(lines))
    return Written(tuple(own), signature, beneath, torn_lines, notice_lines, first, quoted)


def markers_in(text: str) -> tuple[str, ...]:
    """Return the contents of the markers in a text, quoted or not, and rejoined if they were wrapped.

    First comes the situation, ``friday/57/1a2b3c4d``, then its owner, ``for red only: k7m2p4q8r9s3t5v6``.
    """
    bare = re.sub(r"\s", "", "".join(unquoted(line) for line in _lines(text[:LONGEST_TEXT]))).lower()
    found = re.finditer(
        re.escape(_PHRASE)
        + r"=*\[([a-z0-9-]{1,40}/[0-9]{1,6}/[0-9a-f]{8})\](?:=*for([a-z]{3,6})only:([0-9a-z]{16})=)?",
        bare,
    )
    said = ((match[1], f"for {match[2]} only: {match[3]}") if match[2] else (match[1],) for match in found)
    return tuple(dict.fromkeys(part for parts in said for part in parts))


@lru_cache(maxsize=1024)  # a reply is read twice, and asks this of a line a dozen times
def is_quoted(line: str) -> bool:
    """Return whether a client has marked the line as quoted."""
    return bool(re.match(_QUOTED, line))


def is_dated_or_addressed(line: str) -> bool:
    """Return whether the line has an address or a day."""
    return len(line) <= _LONGEST and bool("@" in line or re.search(_DAY, line))


def names_a_day(line: str) -> bool:
    """Return whether the line has a day whose month is a word: ``Ann Lee, 3 Nov:``."""
    return len(line) <= _LONGEST and bool(re.search(_NAMED_DAY, line))


def _is_dated(line: str) -> bool:
    """Return whether the line has a day or a time."""
    return bool(re.search(_DAY, line) or re.search(_TIME, line))


def unquoted(line: str) -> str:
    """Return the line without its quote marks."""
    return re.sub(_QUOTES, "", line, count=1) if is_quoted(line) else line


def _lines(text: str) -> list[str]:
    """Return the lines with plain spaces and no invisible characters except joiners, which some scripts need."""
    return ["".join(_visible(line)).rstrip() if not line.isascii() else _ascii(line) for line in text.splitlines()]


def _ascii(line: str) -> str:
    return line.rstrip() if line.isprintable() else "".join(_visible(line)).rstrip()


def _visible(line: str) -> Iterator[str]:
    for c in line:
        kind = unicodedata.category(c)
        if kind == "Zs" or c == "\t":
            yield " "
        elif kind[0] != "C" or c in "\u200c\u200d":
            yield c


# Where the answered letter begins


def _original(lines: Sequence[str]) -> tuple[int, str]:
    """Return where the answered letter begins unquoted, and the writer's own text before it in that line."""
    for i, line in enumerate(lines):
        if not line or is_quoted(line):
            continue
        if "write" in line.lower() or "==" in line:
            text = " ".join([line, *map(unquoted, lines[i + 1 : i + 4])])
            marker = re.search(_SPACED_PHRASE, text)
            before = text[: marker.start()].rstrip().rstrip("=") if marker else text
            if len(before) < len(line):
                return i, before.rstrip()
        if len(line) > _LONGEST:
            continue
        if _begins_header_block(lines, i) or _begins_original(lines, i):
            return i, ""
        start = _attribution(lines, i)
        if start is not None and not _is_followed_by_a_quote(lines, i):
            return start, ""
    return len(lines), ""


def _next(lines: Sequence[str], i: int) -> int | None:
    """Return the next line after i that is not empty, with at most two empty ones between."""
    return next((j for j in range(i + 1, min(i + 4, len(lines))) if lines[j]), None)


def _begins_header_block(lines: Sequence[str], i: int) -> bool:
    """Return whether headers begin here: From and another one, or two of which one has an address or a date."""
    block = [i] if re.match(_LABEL, lines[i]) else []
    while 0 < len(block) < 4 and (j := _next(lines, block[-1])) is not None and re.match(_LABEL, lines[j]):
        block.append(j)
    named = len(block) >= 2 and re.match(_FROM, lines[i])
    return bool(named) or (len(block) >= 2 and any(is_dated_or_addressed(lines[j]) for j in block))


def _begins_original(lines: Sequence[str], i: int) -> bool:
    """Return whether the line is ``-----Original Message-----``, or dashes and words before a header block."""
    dashed = re.fullmatch(_DASHED, lines[i][:_LONGEST_DASHED])
    if dashed is None or dashed[1].upper().startswith(("BEGIN PGP", "END PGP")):
        return False
    after = _next(lines, i)
    return bool(re.search(_OLD, dashed[1])) or (after is not None and bool(re.match(_FROM, lines[after])))


def _attribution(lines: Sequence[str], i: int) -> int | None:
    """Return where the attribution that ends in line i, like ``On ... wrote:``, begins; it may be wrapped."""
    if not re.search(_ATTRIBUTION_END, lines[i][-6:]) and not _wrote_without_colon(lines, i):
        return None
    start = i
    while not _attributes(" ".join(lines[start : i + 1])):
        if start == max(0, i - 3) or not lines[start - 1] or is_quoted(lines[start - 1]):
            return None
        start -= 1
    while start > max(0, i - 3) and not is_quoted(above := lines[start - 1]) and ("@" in above or _is_dated(above)):
        start -= 1
    return start


def _wrote_without_colon(lines: Sequence[str], i: int) -> bool:
    """Return whether the line ends like ``On ... wrote``, with a date or an address that no sentence has there."""
    if not re.search(_WROTE_END, lines[i][-_LONGEST_MARK:]):
        return False
    text = " ".join(line for line in lines[max(0, i - 2) : i + 1] if len(line) <= _LONGEST)
    return "@" in text or _is_dated(text)


def _attributes(text: str) -> bool:
    return bool(re.search(_WROTE, text, re.IGNORECASE)) or ("@" in text and _is_dated(text))


def _is_followed_by_a_quote(lines: Sequence[str], i: int) -> bool:
    """Return whether the next line is quoted, or this is the last one."""
    after = next((line for line in lines[i + 1 :] if line), None)
    return after is None or is_quoted(after)


# What else is not the writer's


def _attributions(lines: Sequence[str]) -> set[int]:
    found = ((_attribution(lines, i), i) for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST)
    return {j for start, i in found if start is not None and not is_quoted(lines[i]) for j in range(start, i + 1)}


def _marks(lines: Sequence[str]) -> set[int]:
    """Return the lines that probably introduce an unmarked quote: they name a message's date or writer."""
    return {i for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST_MARK and _is_mark(line)}


@lru_cache(maxsize=1024)
def _is_mark(line: str) -> bool:
    """Return whether the line is little more than an address or a date with a time, or sets off what follows."""
    if (
        re.match(_QUOTE_TAG, line)
        or re.match(_FORWARDED, line)
        or re.match(_SUBJECT, line)
        or _begins_original([line], 0)
    ):
        return True
    bracketed = re.fullmatch(_BRACKETED, line)
    if bracketed and re.search(_OLD, bracketed[1]):
        return True
    if re.match(_ON, line) and re.search(_WROTE_END, line):
        return True
    bare, addresses = re.subn(_ADDRESS, " ", line)
    dated = bool(re.search(_DAY, line) and re.search(_TIME, line))
    if (addresses or dated) and (re.search(_WROTE, line, re.IGNORECASE) or (addresses and re.match(_LABEL, line))):
        return True
    words = len(re.findall(_LETTERS, bare))
    if words > _MOST_WORDS:
        return False
    heads = "<" in line or "mailto" in line or not words or re.search(_DAY, line) or line.endswith((":", "："))
    return bool(addresses and heads) or (dated and bool(re.match(_OPENING, line)))


def _footers(lines: Sequence[str]) -> set[int]:
    """Return the lines that phones add."""
    return {i for i, line in enumerate(lines) if len(line) <= 2 * _LONGEST and re.match(_FOOTER, line)}


def _first_lines(lines: Sequence[str]) -> set[int]:
    """Return the first lines of our letters, above the marker."""
    ends = (i for i, line in enumerate(lines) if len(line) <= _LONGEST and FIRST_LINE.search(line))
    return {j for end in ends for j in range(_named(lines, end), end + 1)}


def _named(lines: Sequence[str], end: int) -> int:
    """Return where the first line of a letter that ends there begins, with its reader's name; it may be wrapped."""
    width = 0
    for i in range(end, max(-1, end - _MOST_WRAPPED), -1):
        line = unquoted(lines[i])
        width += len(line) + 1
        if not line or width > _LONGEST_MARK:
            break
        if re.match(_NAMED, line):
            return i
    return end


def _notice(lines: Sequence[str]) -> set[int]:
    """Return the lines of confidentiality notices, each to the end of its paragraph."""
    gone: set[int] = set()
    for i, line in enumerate(lines):
        if line and (i - 1 in gone or (len(line) >= _NARROWEST and re.search(_CONFIDENTIAL, line))):
            gone.add(i)
    return gone


def _torn(lines: Sequence[str], ours: Collection[int]) -> set[int]:
    """Return the lines between quoted ones that a client may have broken off the quoted line before.

    That is so if the line before was too long for it, and for all of them if it has broken off pieces of *ours*.
    """
    quoted = [bool(line) and (is_quoted(line) or i in ours) for i, line in enumerate(lines)]
    width = max((len(line) for line, is_old in zip(lines, quoted, strict=True) if is_old), default=0)
    surely = sum(quoted[i - 1] for i in ours if i) >= _SURELY_TORN
    if width < _NARROWEST and not surely:
        return set()
    return {
        i
        for i in range(1, len(lines) - 1)
        if lines[i]
        and (quoted[i - 1] and quoted[i + 1] and not quoted[i])
        and (surely or len(lines[i - 1]) + 1 + len(lines[i].split()[0]) > width)
        and not FIRST_LINE.search(lines[i - 1])  # that line is complete: an order may well be written below it
    }
