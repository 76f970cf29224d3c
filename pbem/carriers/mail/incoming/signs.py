"""What the headers of a mail say about its sender: a robot, a list, a spam filter, a server that checks it.

A header that speaks against a mail is believed, whoever has put it there: a forger harms only the forged mail.
No header speaks for a mail.
"""

import re
from collections.abc import Iterator
from typing import Final

Headers = dict[str, tuple[str, ...]]  # the values of each header, by its name in lower case

_ROBOTS: Final = r"(?:mailer-daemon|postmaster)@"
_SILENT: Final = r"(?:no-?reply|do-?not-?reply|bounces?)[@+-]"
# Users of a machine, above all cron's, and programs that run lists (RFC 3834); a person may sit behind one of them.
_NOBODY: Final = r"(?:root|daemon|cron|nobody|www-data|uucp|listserv|majordomo)@|owner-|[^@]*-(?:request|relay|owner)@"
_ANSWERING: Final = ("x-autoreply", "x-autorespond", "x-auto-reply-from", "x-mail-autoreply")
_LIST: Final = ("list-id", "list-post")
# Gateways put some of these on people's mails too, so they count only if no ticket proves who writes.
_TO_MANY: Final = ("list-", "feedback-id", "x-mailing-list", "mailing-list", "x-csa-complaints")
_AWAY: Final = (
    r"(?i)auto(?:matic|mated)?[ -]?(?:reply|response)\b|auto:|out of (?:the )?office|abwesenheitsnotiz"
    r"|automatische antwort|réponse automatique|respuesta automática|resposta automática|risposta automatica"
    r"|automatisch antwoord|automatyczna odpowiedź|автоответ|自動(?:応答|返信|回覆)|自动(?:答复|回复)|رد تلقائي"
    r"|תשובה אוטומטית"
)
_SPAM: Final = {
    "x-spam-flag": "yes|true",  # SpamAssassin, and most others
    "x-spam-status": "yes|true",
    "x-spam": "yes|true|spam",  # rspamd
    "x-rspamd-action": "reject|add.header|rewrite.subject|quarantine",
    "x-spamd-result": r"[\w.-]+: *true",
    "x-bogosity": "spam|yes",
    "x-dspam-result": "spam|virus|blocklisted",
    "x-barracuda-spam-status": "yes",
    "x-ms-exchange-organization-scl": "[5-9]",
}
_SPAM_SUBJECT: Final = r"(?i)[\[({*]+ *spam *[\])}*]"
_RESULT: Final = r"\s*([a-z0-9-]+)(?:\s*/\s*\d+)?\s*=\s*([a-z]+)"
_ASIDE: Final = r'"[^"]*"|\([^()]*\)'
_DEEPEST: Final = 3  # comments in comments


def robot(headers: Headers, content_type: str, sender: str, envelope: str | None, subject: str) -> tuple[str, bool]:
    """Return why the mail is a robot's, "" for a person's, and whether that is sure (RFC 3834, and common practice).

    X-Auto-Response-Suppress does not count: Exchange puts it on people's mails.
    """
    submitted = " ".join(headers.get("auto-submitted", ())).partition(";")[0].strip().lower() or "no"
    precedence = " ".join(headers.get("precedence", ())).lower()
    answering = next((name for name in _ANSWERING if headers.get(name, ("no",))[0].lower() not in {"no", ""}), "")
    lists = next((name for name in _LIST if name in headers), "")
    sure = {
        "our own mail": "x-pbem" in headers,
        "a bounce: it has the null sender": envelope == "",
        "a report from a mail server": content_type == "multipart/report",
        f"from {sender}": bool(re.match(_ROBOTS, sender)),
        f"Auto-Submitted: {submitted}": submitted != "no",
        f"{answering} is set": bool(answering),
        "Precedence: auto_reply": "auto_reply" in precedence,
        "sent by cron": "x-cron-env" in headers,
    }
    likely = {
        f"Precedence: {precedence}": not {"bulk", "list", "junk"}.isdisjoint(precedence.split()),
        f"{lists} is set": bool(lists),
        f"from {sender}": bool(re.match(_SILENT, sender)),
        f"subject {subject!r}": bool(re.match(_AWAY, subject)),
    }
    for signs, surely in ((sure, True), (likely, False)):
        for why, holds in signs.items():
            if holds:
                return why, surely
    return "", False


def unwanted(headers: Headers, sender: str, subject: str) -> str:
    """Return why the mail is spam, or sent by a machine or to many, and "" if nothing says so."""
    for name, bad in _SPAM.items():
        if any(re.match(rf"(?:{bad})\b", value, re.IGNORECASE) for value in headers.get(name, ())):
            return f"marked as spam: {name}"
    if re.match(_SPAM_SUBJECT, subject):
        return "marked as spam: subject"
    many = next((name for name in headers if name.startswith(_TO_MANY)), "")
    machine = sender if re.match(_NOBODY, sender) else ""
    return f"sent to many: {many}" if many else f"from {machine}" if machine else ""


def disproved(headers: Headers) -> tuple[str, ...]:
    """Return the servers whose results (RFC 8601) show that the sender is forged, or probably forged.

    A server is called by the name that it gives itself, or ""; it may write each result into a separate header.
    """
    found: dict[str, set[tuple[str, str]]] = {}
    for value in headers.get("authentication-results", ()):
        server, results = _results(value.lower())
        found.setdefault(server, set()).update(results)
    return tuple(server for server, results in found.items() if _is_forged(results))


def _results(value: str) -> tuple[str, Iterator[tuple[str, str]]]:
    for _ in range(_DEEPEST):
        value = re.sub(_ASIDE, " ", value)
    server, *parts = value.split(";")
    if "=" in server:  # Exchange leaves its name out
        server, parts = "", [server, *parts]
    matches = (re.match(_RESULT, part) for part in parts)
    return next(iter(server.split()), ""), ((match[1], match[2]) for match in matches if match)


def _is_forged(results: set[tuple[str, str]]) -> bool:
    """Return whether DMARC failed, or SPF with no valid signature: forwarding breaks the SPF of honest mail."""
    if not results.isdisjoint({("dmarc", "fail"), ("compauth", "fail")}):
        return True
    bad = {("spf", word) for word in ("fail", "softfail", "hardfail")}
    return not results.isdisjoint(bad) and results.isdisjoint({("dkim", "pass"), ("dmarc", "pass")})
