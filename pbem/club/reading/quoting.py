# ruff: noqa: RUF001 -- the letters of many languages are meant
"""What of a reply its writer has written, and what comes from the mail that is answered.

No library that strips quotes is safe for orders: they guess for readers, who
do not mind a line too many. Here a line counts only if nothing says that it is
old, and what cannot be told is handed on as doubtful, to be refused and not played.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from pbem.club.reading.pieces import pieces_of
from pbem.club.ticket import FIRST_LINE, MARKER

LONGEST_TEXT: Final = 128 * 1024  # characters of a reply with all that it quotes
_PHRASE: Final = re.sub(r"[\s=]", "", MARKER).lower()
# The marker begins here, or its second line where the first was deleted.
_SPACED_PHRASE: Final = re.compile(r"\s*".join(_PHRASE) + r"|==\s*for\s+[a-z]{3,6}\s+only\s*:", re.IGNORECASE)

# A quoted line: > as often as it was quoted, initials before it in some clients, a bar in others.
_QUOTE: Final = r"\s{0,3}(?:[A-Za-z]{0,4}>|[|＞]|[»›](?!.{0,60}[«‹]))"
_QUOTED: Final = re.compile(_QUOTE)
_QUOTES: Final = re.compile(f"(?:{_QUOTE})+\\s?")
_SIGNATURE: Final = re.compile(r"\s*(?:--|—|–|_{20,}|-{5}BEGIN PGP SIGNATURE-{5})\s*")
# The name of a header; with a digit before the colon it is a time, as in ``On Tue, 3 Nov 2026 at 10:00``.
_LABEL: Final = re.compile(r"\s*[*_]{0,2}[^\W\d][^:：@<>]{0,24}[*_]{0,2}(?<!\d)\s?[:：](?!//)")
_FROM: Final = re.compile(
    r"\s*[*_]{0,2}(?:from|von|de|da|van|från|fra|od|de la|lähettäjä|feladó|odesílatel|expéditeur|remitente|mittente"
    r"|gönderen|kimden|từ|από|от|от кого|від|发件人|發件人|寄件者|寄件人|差出人|送信者|送信元|보낸 ?사람|발신"
    r"|מאת|من|จาก)"
    r"[*_]{0,2}\s?[:：]",
    re.IGNORECASE,
)
_DASHED: Final = re.compile(r"\s*[-_=*]{3,}\s*([^\W_].*?)\s*[-_=*]{3,}\s*")
_OLD: Final = re.compile(
    r"origin|forward|repl|antwort|réponse|respuesta|risposta|nachricht|message|ursprünglich|weitergeleitet|transf[eé]r|inoltrat|reenviad|encaminhad|mensa(?:je|gem)|oorspronkelijk"
    r"|doorgestuurd|oryginaln|przekazan|исходн|пересыла|пересланн|вихідн|alkuperäinen|välitetty|opprinnelig|oprindelig"
    r"|vidaresänt|videresend|původní|přeposlan|eredeti|továbbított|orijinal|iletilen|αρχικό|προωθ|gốc|原|转发|轉寄|転送"
    r"|원본|전달|מקורית|הועבר|الأصلية|محول",
    re.IGNORECASE,
)
_WROTE: Final = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|a écrit|écrit|escribió|escribio|escreveu|ha scritto|scrive|schreef|napisał"
    r"|skrev|kirjoitti|пишет|писал|написал|пише|написав|napsal|írta|yazdı|a scris|έγραψε|đã viết|geschreven|zitat von"
    r"|quoting|citando)|写道|寫道|のメッセージ|書きました|작성|كتب|كتابة|כתב|מאת",
    re.IGNORECASE,
)
_WROTE_END: Final = re.compile(rf"(?:{_WROTE.pattern})\s?[.…]{{0,3}}$", re.IGNORECASE)
_TIME: Final = re.compile(r"(?<!\d)\d{1,2}\s?[:.h時点]\s?\d\d(?!\d)")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]|(?<!\d)(?:19|20)\d\d(?!\d)")
_ADDRESS: Final = re.compile(
    r"[<‹＜(\[]?\s?(?:mailto:\s?)?[^\s<>‹›()\[\]:@]{1,64}@[^\s<>‹›()\[\]@]{1,255}\s?[>›＞)\]]?"
)
_OPENING: Final = re.compile(
    r"\W*(?:on|am|le|el|il|em|op|den|dne|w dniu)?\s*(?:\w{2,12}[.,]{1,2}\s*){0,2}\d", re.IGNORECASE
)
_FORWARDED: Final = re.compile(
    r"\W*(?:\w+ ){0,3}(?:forwarded|weitergeleiteten|transféré|inoltrat.) \w+\s?[:：]$", re.IGNORECASE
)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ON: Final = re.compile(r"\s*(?:on|am|le|el|il|em|op|den|dne|w dniu)\s", re.IGNORECASE)
# Our own subject as a program or a person puts it above a quote; a first line of ours begins with its reader's name.
_SUBJECT: Final = re.compile(
    r"\s*(?:[*_]{0,2}[^\W\d]{1,20}(?: [^\W\d]{1,12})?\s?[:：][*_]{0,2}\s*){1,4}\[[a-z0-9-]{1,40}\]"
)
_NAMED: Final = re.compile(r"[\s*_]*[^\s,]{1,40}(?: [^\s,]{1,40}){0,4},(?: |$)")
_MOST_WRAPPED: Final = 8  # lines
_QUOTE_TAG: Final = re.compile(r"\s*\[quote\b", re.IGNORECASE)
_MOST_WORDS: Final = 6  # beside the date or the address, of a line that begins what is quoted
_ATTRIBUTION_END: Final = re.compile(r"(?:[:：]|-{3,})[*_]{0,2}$")
_FOOTER: Final = re.compile(
    r"\s*(?:sent (?:from|with|using|via)|get outlook|gesendet (?:von|mit|über)|von meinem .{1,40} gesendet"
    r"|diese nachricht wurde|envoyé (?:de|depuis|à partir)|télécharger outlook|enviado (?:desde|do|de)|obtener outlook"
    r"|inviato da|verzonden (?:vanaf|met)|verstuurd vanaf|wysłan[eo] z|skickat från|sendt fra|lähetetty|odesláno z"
    r"|отправлено (?:из|с|со)|надіслано з|yahoo mail\s?:|发自我?的?|發自我?的?|寄件自|iPhone ?から送信|나의 iPhone에서"
    r"|-{5}BEGIN PGP SIGNED MESSAGE-{5}$|Hash: SHA\d+$|נשלח מה|أُرسل(?:ت)? من|أرسل(?:ت)? من|مرسل من)",
    re.IGNORECASE,
)
_CONFIDENTIAL: Final = re.compile(
    r"confidential|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk|poufn|конфиденциальн|机密|機密",
    re.IGNORECASE,
)
_LONGEST_DASHED: Final = 120
_LONGEST_MARK: Final = 200
_LONGEST: Final = 400  # columns of a line that can be a header or an attribution
_SURELY_TORN: Final = 3  # pieces of our letter beneath quoted lines
_NARROWEST: Final = 60  # columns at which a client may wrap the lines that it quotes


class Written(NamedTuple):
    """What a reply holds, line by line, and what of it is doubtful.

    ``lines`` the writer has written; "" separates paragraphs. ``signature`` stands
    beneath the signature line, ``beneath`` beneath the place where the answered
    mail begins without being quoted. ``torn`` are lines that a client may have
    broken off a line that it quotes, ``notice`` the further lines of a notice that
    an office adds. From the line ``doubtful`` on, what stands there may be of an older mail, as it
    stands beneath a line that names a mail's date or writer; ``quoted`` are the lines that a client has marked.
    """

    lines: tuple[str, ...]
    signature: tuple[str, ...]
    beneath: tuple[str, ...]
    torn: tuple[str, ...]
    notice: tuple[str, ...]
    doubtful: int
    quoted: tuple[int, ...]


def written(text: str, letter: str = "") -> Written:
    """Return what the writer of a reply has written, and what may or may not be of the writer.

    *letter* are the words of the letter that is answered, a blank apart: pieces of it that come back unmarked are not.

    The marker line and all beneath it are not, if it stands there unquoted; nor is what is
    quoted, nor what follows a header block as Outlook's (``From: Sent: To: Subject:``,
    in any language), ``-----Original Message-----``, or an attribution (``On ... wrote:``)
    behind which nothing is quoted. The signature ends it.
    """
    lines = _lines(text)
    cut, kept = _original(lines)
    beneath = tuple(line for line in lines[cut + 1 :] if not is_quoted(line))
    lines = [*lines[:cut], *([kept] if kept else [])]
    end = next((i for i, line in enumerate(lines) if _SIGNATURE.fullmatch(line)), len(lines))
    signature = tuple(line for line in lines[end:] if not is_quoted(line))
    lines = lines[:end]
    ours = pieces_of(letter, tuple(map(unquoted, lines)), tuple(map(is_quoted, lines))) if letter else set[int]()
    torn = _torn(lines, ours) - ours
    notice = _notice(lines)
    attributions = _attributions(lines)
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
    """Return what the markers in a text say, quoted or not, and put together where they came back wrapped.

    First the situation, ``friday/57/1a2b3c4d``, then whose it is, ``for red only: k7m2p4q8r9s3t5v6``.
    """
    bare = re.sub(r"\s", "", "".join(unquoted(line) for line in _lines(text[:LONGEST_TEXT]))).lower()
    found = re.finditer(
        re.escape(_PHRASE)
        + r"=*\[([a-z0-9-]{1,40}/[0-9]{1,6}/[0-9a-f]{8})\](?:=*for([a-z]{3,6})only:([0-9a-z]{16})=)?",
        bare,
    )
    said = ((match[1], f"for {match[2]} only: {match[3]}") if match[2] else (match[1],) for match in found)
    return tuple(dict.fromkeys(part for parts in said for part in parts))


def is_quoted(line: str) -> bool:
    """Return whether a client has marked the line as quoted."""
    return bool(_QUOTED.match(line))


def is_dated_or_addressed(line: str) -> bool:
    """Return whether there is an address or a day in the line."""
    return len(line) <= _LONGEST and bool("@" in line or _DAY.search(line))


def _is_dated(line: str) -> bool:
    """Return whether there is a day or a time in the line."""
    return bool(_DAY.search(line) or _TIME.search(line))


def unquoted(line: str) -> str:
    """Return the line without the marks of a quote."""
    return _QUOTES.sub("", line, count=1) if is_quoted(line) else line


def _lines(text: str) -> list[str]:
    """Return the lines with plain spaces, and without what is invisible; joiners stay, some scripts need them."""
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


# Where the answered mail begins


def _original(lines: Sequence[str]) -> tuple[int, str]:
    """Return where the answered mail begins unquoted, and what the writer has in that line before it."""
    for i, line in enumerate(lines):
        if not line or is_quoted(line):
            continue
        if "write" in line.lower() or "==" in line:
            text = " ".join([line, *map(unquoted, lines[i + 1 : i + 4])])
            marker = _SPACED_PHRASE.search(text)
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
    """Return the next line behind i that is not empty, if there are at most two empty ones between."""
    return next((j for j in range(i + 1, min(i + 4, len(lines))) if lines[j]), None)


def _begins_header_block(lines: Sequence[str], i: int) -> bool:
    """Return whether headers begin here: From and another, or two of which one holds an address or a date."""
    block = [i] if _LABEL.match(lines[i]) else []
    while 0 < len(block) < 4 and (j := _next(lines, block[-1])) is not None and _LABEL.match(lines[j]):
        block.append(j)
    named = len(block) >= 2 and _FROM.match(lines[i])
    return bool(named) or (len(block) >= 2 and any(is_dated_or_addressed(lines[j]) for j in block))


def _begins_original(lines: Sequence[str], i: int) -> bool:
    """Return whether the line is ``-----Original Message-----``, or dashes and words before a header block."""
    dashed = _DASHED.fullmatch(lines[i][:_LONGEST_DASHED])
    if dashed is None or dashed[1].upper().startswith(("BEGIN PGP", "END PGP")):
        return False
    after = _next(lines, i)
    return bool(_OLD.search(dashed[1])) or (after is not None and bool(_FROM.match(lines[after])))


def _attribution(lines: Sequence[str], i: int) -> int | None:
    """Return where the attribution begins that ends in line i, as ``On ... wrote:``; it may be wrapped."""
    if not _ATTRIBUTION_END.search(lines[i][-6:]) and not _wrote_without_colon(lines, i):
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
    """Return whether the line ends as ``On ... wrote``, with the date or the address that no sentence has there."""
    if not _WROTE_END.search(lines[i][-_LONGEST_MARK:]):
        return False
    text = " ".join(line for line in lines[max(0, i - 2) : i + 1] if len(line) <= _LONGEST)
    return "@" in text or _is_dated(text)


def _attributes(text: str) -> bool:
    return bool(_WROTE.search(text)) or ("@" in text and _is_dated(text))


def _is_followed_by_a_quote(lines: Sequence[str], i: int) -> bool:
    """Return whether the next line is quoted, or nothing comes any more."""
    after = next((line for line in lines[i + 1 :] if line), None)
    return after is None or is_quoted(after)


# What else is not of the writer


def _attributions(lines: Sequence[str]) -> set[int]:
    found = ((_attribution(lines, i), i) for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST)
    return {j for start, i in found if start is not None and not is_quoted(lines[i]) for j in range(start, i + 1)}


def _marks(lines: Sequence[str]) -> set[int]:
    """Return the lines that are likely to begin what is quoted without marks: they name a mail's date or writer."""
    return {i for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST_MARK and _is_mark(line)}


def _is_mark(line: str) -> bool:
    """Return whether the line is little else than an address or a date with a time, or sets off what follows."""
    if _QUOTE_TAG.match(line) or _FORWARDED.match(line) or _SUBJECT.match(line) or _begins_original([line], 0):
        return True
    if _ON.match(line) and _WROTE_END.search(line):
        return True
    bare, addresses = _ADDRESS.subn(" ", line)
    dated = bool(_DAY.search(line) and _TIME.search(line))
    if (addresses or dated) and (_WROTE.search(line) or (addresses and _LABEL.match(line))):
        return True
    words = len(_LETTERS.findall(bare))
    if words > _MOST_WORDS:
        return False
    heads = "<" in line or "mailto" in line or not words or _DAY.search(line) or line.endswith((":", "："))
    return bool(addresses and heads) or (dated and bool(_OPENING.match(line)))


def _footers(lines: Sequence[str]) -> set[int]:
    """Return the lines that phones add."""
    return {i for i, line in enumerate(lines) if len(line) <= 2 * _LONGEST and _FOOTER.match(line)}


def _first_lines(lines: Sequence[str]) -> set[int]:
    """Return the lines with which letters of ours begin, above the marker."""
    ends = (i for i, line in enumerate(lines) if len(line) <= _LONGEST and FIRST_LINE.search(line))
    return {j for end in ends for j in range(_named(lines, end), end + 1)}


def _named(lines: Sequence[str], end: int) -> int:
    """Return where the first line that ends there begins, with its reader's name; it may be wrapped."""
    width = 0
    for i in range(end, max(-1, end - _MOST_WRAPPED), -1):
        line = unquoted(lines[i])
        width += len(line) + 1
        if not line or width > _LONGEST_MARK:
            break
        if _NAMED.match(line):
            return i
    return end


def _notice(lines: Sequence[str]) -> set[int]:
    """Return the lines of the confidentiality notices of offices, each to the end of its paragraph."""
    gone: set[int] = set()
    for i, line in enumerate(lines):
        if line and (i - 1 in gone or (len(line) >= _NARROWEST and _CONFIDENTIAL.search(line))):
            gone.add(i)
    return gone


def _torn(lines: Sequence[str], ours: Collection[int]) -> set[int]:
    """Return the lines between quoted ones that a client may have broken off the quoted line before.

    That is so where the line before was too long for it, and everywhere if it has broken off pieces of *ours*.
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
        and not FIRST_LINE.search(lines[i - 1])  # which is whole: an order may well be written beneath it
    }
