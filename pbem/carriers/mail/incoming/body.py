"""The text of one part of a mail: its charset, its soft line ends, its HTML.

Incoming mail is hostile: everything here takes time proportional to the length
of the text, whatever it contains.
"""

import codecs
import re
from contextlib import suppress
from html import unescape
from typing import Final

from pbem.errors import NotUnderstood
from pbem.locale import phrase

_UTF_8: Final = "utf-8-sig"
_HAS_UTF_8: Final = rb"[\xc3-\xef][\x80-\xbf]"
_WESTERN: Final = "cp1252"
# The charset that clients name, and the superset that they really send.
_REALLY: Final = {
    **dict.fromkeys(("gb2312", "gbk", "x-gbk", "cp936"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis"), "cp932"),
    **dict.fromkeys(("ks_c_5601-1987", "euc-kr"), "cp949"),
    **dict.fromkeys(("iso-8859-8-i", "iso-8859-8-e", "iso-8859-8"), "cp1255"),
    **dict.fromkeys(("iso-8859-1", "latin1", "ascii", "us-ascii"), _WESTERN),
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "windows-874": "cp874",
    "cp-850": "cp850",
}
# Some codecs of Python decompress, unescape, or take quadratic time: only these are used.
_BYTES: Final = r"ascii|cp\d+|iso8859-\d+|koi8-[rtu]|kz1048|mac-\w+|ptcp154|tis-620"
_MULTIBYTE: Final = r"utf-(?:8|16|32)\S*|gb\w+|big5\w*|cp9(?:32|49|50)|euc_\w+|iso2022_\w+|hz|johab|shift_\w+"

_ENRICHED: Final = (
    r"(?i)<param>[\s\S]*?(?:</param>|\Z)|<<|<(?P<end>/?)(?P<name>[a-z0-9-]{1,60})>|(?P<newlines>\n+)|[^<\n]+|<"
)
_SHORTEST_SOFT_LINE: Final = 40  # bytes; no client breaks a line earlier, but people leave a space after an order
_DEEPEST: Final = 9  # quotes in quotes that are still told apart


def decoded(content: bytes, charset: str) -> str:
    """Return the bytes as text with Python's line ends, decoded by their real charset.

    That may not be the one named: UTF-8 is read as such even if a single-byte
    charset is named, and an unknown charset is guessed. Raises NotUnderstood for
    UTF-7, which can hide orders from readers.
    """
    codec = _codec(charset)
    if codec == "utf-7":
        why = phrase("the message is encoded in UTF-7, which is not supported")
        raise NotUnderstood(why, hint=phrase("send it as UTF-8"))
    single = not re.fullmatch(_MULTIBYTE, codec) or (codec.startswith(("utf-16", "utf-32")) and b"\0" not in content)
    for name in (_UTF_8, codec) if single else (codec, _UTF_8):
        with suppress(UnicodeError):
            return "\n".join(content.decode(name).splitlines())
    if codec == _UTF_8 and not re.search(_HAS_UTF_8, content):
        codec = _WESTERN
    return "\n".join(content.decode(codec, "replace").splitlines())


def _codec(charset: str) -> str:
    """Return Python's name for the charset, or that of western Europe for a charset that mails do not use."""
    name = charset.strip(" '\"").lower()
    name = _REALLY.get(name, name)
    try:
        codec = codecs.lookup(name).name if re.fullmatch(r"[a-z0-9_.:-]{1,40}", name) else ""
    except LookupError:
        codec = ""
    known = re.fullmatch(_BYTES, codec) or re.fullmatch(_MULTIBYTE, codec) or codec == "utf-7"
    return _UTF_8 if codec == "utf-8" else codec if known else _WESTERN


def unflowed(text: str, *, delsp: bool) -> str:
    """Return a text of format=flowed (RFC 3676, which no library at hand reads) with its soft line breaks joined."""
    lines: list[str] = []
    pieces: list[str] = []
    before = 0
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        bare = line[depth:].removeprefix(" ")
        if pieces and (depth != before or bare == "-- "):
            lines.append("".join(pieces))
            pieces = []
        soft = bare.endswith(" ") and bare != "-- " and len(line.encode("utf-8", "replace")) >= _SHORTEST_SOFT_LINE
        if not pieces and depth:
            pieces.append(">" * depth + " ")
        pieces.append(bare[:-1] if soft and delsp else bare)
        before = depth
        if not soft:
            lines.append("".join(pieces))
            pieces = []
    return "\n".join([*lines, "".join(pieces)] if pieces else lines)


def text_of_enriched(text: str) -> str:
    """Return text/enriched (RFC 1896) as the lines that people see; lines in <excerpt> begin with ``> ``."""
    lines: list[str] = []
    pieces: list[str] = []
    unfilled = quoted = 0  # how many <nofill> and <excerpt> are open

    def end_line() -> None:
        lines.append("> " * min(quoted, _DEEPEST) * bool(pieces) + "".join(pieces).rstrip())
        pieces.clear()

    for token in re.finditer(_ENRICHED, text):
        if token["newlines"]:
            ends = len(token["newlines"]) - (not unfilled)  # one that stands alone is a space where lines are filled
            for _ in range(ends):
                end_line()
            pieces += [" "] * (not ends)
        elif token["name"]:
            step = -1 if token["end"] else 1
            if token["name"].lower() == "nofill":
                unfilled = max(0, unfilled + step)
            elif token["name"].lower() == "excerpt":
                end_line()
                quoted = max(0, quoted + step)
        elif not token[0].lower().startswith("<param>"):
            pieces.append("<" if token[0] == "<<" else token[0])
    end_line()
    return "\n".join(lines)


# HTML. html.parser of the standard library takes quadratic time for a crafted page; this grammar never looks at a
# character twice: what is not closed reaches to the end, as in a browser.
_PIECE: Final = (
    r"(?i)<!--[\s\S]*?(?:-->|\Z)"
    r"|<(style|script|title|xml|template|textarea|select|datalist|button|iframe|object|noembed|noframes)\b"
    r"[\s\S]*?(?:</\1\s*>|\Z)"
    r"|<[!?][^>]*(?:>|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-z][^\s/>]*+)(?P<rest>(?:[^>=]|=\s*+(?:\"[^\"]*\"|'[^']*')?)*+)(?:>|\Z)"
    r"|(?P<text>[^<]++|<+(?![a-z/!?])|<)"
)
_BLOCKS: Final = (
    r"address|article|aside|blockquote|body|center|d[dlt]|div|fieldset|figure|footer|form|h[1-6]|head|header|hr|html|li"
    r"|main|nav|ol|p|pre|section|table|tbody|tr|ul"
)
# What some clients use instead of a blockquote, and where others put the answered mail without quoting it.
_QUOTE: Final = r"(?i)yahoo_quoted|\bname\s*=\s*[\"']?quote\b|border-left:[^;\"']{0,60}solid"
_ORIGINAL: Final = (
    r"(?i)divrplyfwdmsg|olk_src_body_section|reference-message-container|mobile-reference-message"
    r"|border-top:\s*solid\s*#(?:e1e1e1|b5c4df)"
)
# A blockquote that only indents, as in Gmail and Outlook: it has a margin, and no sign of a quote.
_INDENT: Final = r"(?i)border:\s*(?:none|0)|style\s*=\s*(?:[\"']\s*)?margin"
_CITES: Final = r"(?i)border-left|\bcite\b|quote"
# What nobody sees.
_UNSEEN: Final = (
    r"(?i)(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    r"|text-decoration(?:-line)?\s*:[^;\"'>]{0,40}line-through"  # an editor's way to strike something out
    r"|(?:font-size|opacity|max-height)\s*:\s*0+(?:\.0*)?(?:[a-z]{1,4}|%)?\s*(?=[;\"'!>\s]|\Z))"
)
_VALUE: Final = r"\"[^\"]*+\"?|'[^']*+'?"
_HIDDEN: Final = r"(?i)(?:^|\s)hidden(?=[\s=/]|\Z)"
_COMMENT: Final = r"/\*[^*]*+\*/"
_STYLE: Final = r"(?i)<style\b[\s\S]*?(?:</style|\Z)"
_NAMES: Final = r"(?i)(?:^|\s)(?:class|id)\s*=\s*(?:\"([^\"]*+)\"?|'([^']*+)'?|([^\s>]++))"
_EMPTY: Final = r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_CLOSED_BY_BLOCKS: Final = ("p", "li")  # their end may be left out
_RULE: Final = "-" * 40
_ORIGINAL_LINE: Final = "-----Original Message-----"


def text_of_html(html: str) -> str:
    """Return a page as the lines that people see; quoted lines begin with ``> ``, once for each depth.

    Where Outlook and its kind begin the answered mail without quoting it, the
    line ``-----Original Message-----`` is put in, in every language. Any other rule is a line of dashes.
    """
    page = _PageText(_unseen_names(html))
    for token in re.finditer(_PIECE, html):
        if token["text"]:
            page.write(unescape(token["text"]))
        elif token["name"] and token["end"]:
            page.close(token["name"].lower())
        elif token["name"]:
            page.open(token["name"].lower(), token["rest"])
    page.end_line()
    return "\n".join(page.lines)


def _unseen_names(html: str) -> frozenset[str]:
    """Return the classes and ids that the page's own style sheets hide."""
    names: set[str] = set()
    for sheet in re.findall(_STYLE, html):
        for rule in re.sub(_COMMENT, "", sheet).split("}"):
            selectors, _, declared = rule.rpartition("{")
            if re.search(_UNSEEN, declared):
                for selector in selectors.rpartition("{")[2].split(","):
                    names.update(re.findall(r"[.#]([\w-]+)", " ".join(selector.split()[-1:])))
    return frozenset(names)


def _is_hidden(attributes: str) -> bool:
    """Return whether an element with these attributes is hidden."""
    if not attributes.strip(" /"):
        return False
    if re.search(_HIDDEN, re.sub(_VALUE, "''", attributes)):
        return True
    plain = unescape(attributes) if "&" in attributes else attributes
    return ":" in plain and bool(re.search(_UNSEEN, re.sub(_COMMENT, "", plain)))


class _PageText:
    """The lines of a page as they grow."""

    def __init__(self, unseen: frozenset[str]) -> None:
        self._unseen_names = unseen
        self.lines: list[str] = []
        self._pieces: list[str] = []
        self._open: dict[str, list[bool]] = {"blockquote": [], "div": []}  # whether each that is open is a quote
        self._depth = 0
        self._pre = 0
        self._unseen = ""  # the element that hides everything in it
        self._inside = 0  # how many elements of that name are open in it

    def write(self, text: str) -> None:
        if self._unseen:
            return
        if not self._pre:
            self._pieces.append(re.sub(r"[ \t\r\n\f]+", " ", text))
            return
        *full, last = text.split("\n")
        for line in full:
            self._pieces.append(line)
            self.end_line(even_empty=True)
        self._pieces.append(last)

    def open(self, name: str, rest: str) -> None:
        if self._hides(name, rest):
            return
        if name == "br":
            self.end_line(even_empty=True)
        elif re.fullmatch(_BLOCKS, name):
            self.end_line()
        elif name in {"td", "th"}:
            self._pieces.append(" ")
        elif name in {"s", "strike", "del"}:
            self._pieces.append("~")  # an order that is struck out does not count
        if name == "p" and self.lines and self.lines[-1].strip("> "):
            self.end_line(even_empty=True)
        elif name == "pre":
            self._pre += 1
        if name in {"div", "hr"} and re.search(_ORIGINAL, rest):
            self._pieces.append(_ORIGINAL_LINE)
            self.end_line()
        elif name == "hr":
            self._pieces.append(_RULE)
            self.end_line()
        if name in self._open:
            indents = name == "blockquote" and re.search(_INDENT, rest) and not re.search(_CITES, rest)
            quotes = not indents if name == "blockquote" else bool(re.search(_QUOTE, rest))
            self._open[name].append(quotes)
            self._depth += quotes

    def _hides(self, name: str, rest: str) -> bool:
        """Return whether the element that is opened is hidden."""
        if self._unseen in _CLOSED_BY_BLOCKS and re.fullmatch(_BLOCKS, name):
            self._unseen = ""
        if self._unseen:
            self._inside += name == self._unseen
        elif not re.fullmatch(_EMPTY, name) and (_is_hidden(rest) or self._is_named_unseen(rest)):
            self.end_line()
            self._unseen, self._inside = name, 0
        return bool(self._unseen)

    def _is_named_unseen(self, attributes: str) -> bool:
        if not self._unseen_names:
            return False
        return any(
            not self._unseen_names.isdisjoint("".join(found).split()) for found in re.findall(_NAMES, attributes)
        )

    def close(self, name: str) -> None:
        if self._unseen:
            if name == self._unseen:
                self._inside -= 1
                self._unseen = self._unseen if self._inside >= 0 else ""
            return
        if re.fullmatch(_BLOCKS, name):
            self.end_line()
        elif name in {"s", "strike", "del"}:
            self._pieces.append("~")
        if name == "pre":
            self._pre = max(0, self._pre - 1)
        elif self._open.get(name):
            self._depth -= self._open[name].pop()

    def end_line(self, *, even_empty: bool = False) -> None:
        line = "".join(self._pieces)
        line = line.rstrip() if self._pre else line.strip()
        self._pieces.clear()
        if line or even_empty:
            self.lines.append("> " * min(self._depth, _DEEPEST) + line)
