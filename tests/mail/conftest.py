"""The servers, for every test of the mail; and draws that do not depend on the ids of messages.

A test that is marked ``salted`` plays games as people do: each mail adds to the secret of the draws.
"""

from collections.abc import Iterator

import pytest
from nobody import nobody_python
from servers import devel, dovecot, open_folder, sink

from pbem.carriers.mail.settings import MailClub

__all__ = ["devel", "dovecot", "nobody_python", "open_folder", "sink"]


@pytest.fixture(autouse=True, scope="session")
def _unsalted_session() -> Iterator[None]:
    """Games that are made once for many tests have no salts."""
    MailClub.salts = False
    yield
    MailClub.salts = True


@pytest.fixture(autouse=True)
def _salts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MailClub, "salts", "salted" in request.keywords)
