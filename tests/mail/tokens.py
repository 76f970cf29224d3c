"""Servers that want a token: Dovecot, which asks an introspection server, and an SMTP server; and a shop of tokens.

The shop gives out a token a time. A command prints it, as the helpers do that hosts use, and counts how often it runs.
"""

import json
import shlex
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from servers import HOST, Mail, a_port

USER = "pbem"
ERROR = json.dumps({"status": "401", "schemes": "bearer", "scope": "https://mail.example.org/"})


class Shop:
    """Tokens: the newest is what the command prints, and those in ``valid`` are what servers accept."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "token"
        self.runs = folder / "runs"
        self.valid: set[str] = set()
        self.number = 0
        self.renew()

    @property
    def command(self) -> str:
        """The line for ``password_command``."""
        code = "import sys; open(sys.argv[2], 'a').write('.'); print(open(sys.argv[1]).read()); print('login: pbem')"
        return shlex.join([sys.executable, "-c", code, str(self.file), str(self.runs)])

    @property
    def asked(self) -> int:
        """How often the command has run."""
        return self.runs.stat().st_size if self.runs.exists() else 0

    @property
    def token(self) -> str:
        """The token that the command prints now."""
        return self.file.read_text()

    def renew(self) -> None:
        """Let the command print another token, which is the only valid one."""
        self.number += 1
        self.file.write_text(f"ya29.a-very-secret-token-{self.number}")
        self.valid = {self.token}

    def expire(self) -> None:
        """Let the token expire although the command still prints it."""
        self.valid = set()


@contextmanager
def introspection(shop: Shop) -> Iterator[int]:
    """Run what Dovecot asks whether a token is valid (RFC 7662); yields its port."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            active = said.get("token", [""])[0] in shop.valid
            told = json.dumps({"active": active, **({"username": USER} if active else {})}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer((HOST, 0), Answers) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


OAUTH = """
auth_mechanisms = xoauth2 oauthbearer
auth_failure_delay = 0
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
"""


def for_dovecot(folder: Path, port: int) -> str:
    """Return the settings with which Dovecot asks at that port and takes no password, and write those they name."""
    (folder / "oauth2.conf").write_text(
        f"introspection_mode = post\nintrospection_url = http://{HOST}:{port}/\n"
        "username_attribute = username\nactive_attribute = active\nactive_value = true\n"
    )
    return OAUTH.format(folder=folder)


class TokenSink:
    """An SMTP server that wants XOAUTH2 or OAUTHBEARER, and asks for it again once a token has expired.

    After each ``lasts`` mails the token expires, and the shop has another one then. With ``hangs_up`` the server ends
    the connection instead of refusing what comes.
    """

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.mails: list[Mail] = []
        self.logins: list[str] = []
        self.lasts = 0
        self.hangs_up = False
        self.port = 0

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        """Accept a valid token; tell why not, as Google and Microsoft do, and wait for the client's line."""
        said = b64decode(args[1]).decode()
        user, _, rest = said.removeprefix("user=").partition("\1auth=Bearer ")
        return await self._judged(server, user, rest.removesuffix("\1\1"), b"")

    async def auth_OAUTHBEARER(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        """As RFC 7628 has it."""
        head, *pairs = b64decode(args[1]).decode().split("\1")
        said = dict(pair.split("=", 1) for pair in pairs if pair)
        assert said["host"] == HOST
        return await self._judged(
            server, head.removeprefix("n,a=").rstrip(","), said["auth"].removeprefix("Bearer "), b"\1"
        )

    async def _judged(self, server: SMTP, user: str, token: str, last: bytes) -> AuthResult:
        valid = user == USER and token in self.shop.valid
        self.logins.append(token)
        if not valid:
            answer: Any = await server.challenge_auth(ERROR)
            assert answer == last
        return AuthResult(success=valid, handled=valid, auth_data=token if valid else None)

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Refuse a sender whose token has expired in the meantime."""
        if session.auth_data not in self.shop.valid:
            if self.hangs_up:
                server.transport.close()
            return "530 5.7.0 Authentication Required"
        envelope.mail_from = address
        return "250 known"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep a mail."""
        sender = (envelope.mail_from or "").strip("<>")
        self.mails.append(Mail(sender, tuple(envelope.rcpt_tos), envelope.original_content or b""))
        if self.lasts and len(self.mails) % self.lasts == 0:
            self.shop.renew()
        return "250 kept"


@contextmanager
def a_token_sink(shop: Shop) -> Iterator[TokenSink]:
    """Run that server."""
    kept = TokenSink(shop)
    controller = Controller(
        kept,
        hostname=HOST,
        port=a_port(),
        ready_timeout=120,
        auth_require_tls=False,
        auth_exclude_mechanism=["LOGIN", "PLAIN"],
    )
    controller.start()
    kept.port = controller.port
    try:
        yield kept
    finally:
        controller.stop()
