"""The language of whoever reads what a command prints, and writes its orders.

JSON is English, and so is what is said of the command line itself. An error is made in English too, since programs
and logs have it; it keeps the language in which it is shown.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from pbem.errors import NotUnderstood, PbemError
from pbem.first_sparks.notation import parse_logged
from pbem.grammar import language_called
from pbem.loading import Submission
from pbem.locale import Language, speaking, tr

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@contextmanager
def read_in(language: Language) -> Generator[None]:
    """Speak the language meanwhile, and show errors in it that have words there."""
    with speaking(language):
        try:
            yield
        except PbemError as error:
            if tr(error.message) != error.message:
                error.language = language
            raise


def shown_in(
    command: Callable[_Given, _Result], language: Callable[[Mapping[str, object]], Language]
) -> Callable[_Given, _Result]:
    """Return a command with the text in the *language* that follows from its arguments."""

    @wraps(command)
    def spoken(*args: _Given.args, **given: _Given.kwargs) -> _Result:
        with read_in(language(given)):
            return command(*args, **given)

    return spoken


def in_language(command: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Return a command with the text in the language of its option; with ``--json`` it is English."""
    return shown_in(command, _of_option)


def _of_option(given: Mapping[str, object]) -> Language:
    language = language_called(str(given.get("language", "en")))
    return "en" if given.get("as_json") else language


def written_in(code: str, lines: Iterable[str]) -> list[str]:
    """Return lines that a person has written in that language, word for word in English; raises UsageError."""
    language = language_called(code)
    if language == "en":
        return list(lines)
    from pbem.reading.languages import in_english

    return [in_english(line, language).text for line in lines]


def ordered_in(code: str, submission: Submission) -> Submission:
    """Return a submission with its orders in the order language, where a person has written them in that language.

    What is an order already stays as it is.
    """
    return submission._replace(orders=tuple(o if _is_order(o) else written_in(code, [o])[0] for o in submission.orders))


def _is_order(text: str) -> bool:
    try:
        parse_logged(text)
    except NotUnderstood:
        return False
    return True
