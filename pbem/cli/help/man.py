"""The manual page: what all help pages say, in the language of ``man``."""

from collections.abc import Iterator
from typing import Any

from pbem import errors
from pbem.cli.help.examples import examples_of


def page(whole: Any, version: str) -> str:  # noqa: ANN401 -- a click.Group, which Typer does not export
    """Return the manual page of the program, in roff; it has no date, so that it only changes with the program."""
    return "\n".join((*_lines(whole, version), ""))


def _lines(whole: Any, version: str) -> Iterator[str]:  # noqa: ANN401
    context = whole.context_class(whole, info_name="pbem", **whole.context_settings)
    about, *more = _paragraphs(whole.help)
    yield f'.TH PBEM 1 "" "pbem {_escaped(version)}" "User Commands"'
    yield from (".SH NAME", f"pbem \\- {_escaped(about[:1].lower() + about[1:].rstrip('.'))}")
    yield from (".SH SYNOPSIS", *_usage(whole, context))
    yield from (".SH DESCRIPTION", _escaped(about), *(line for text in more for line in (".PP", _escaped(text))))
    yield from (".SH OPTIONS", *_options(whole, context), ".SH COMMANDS")
    yield from _commands(whole, context)
    yield from (".SH EXIT STATUS", ".TP", "0", "Done.")
    statuses: dict[int, list[str]] = {}
    for kind in vars(errors).values():
        if not (isinstance(kind, type) and issubclass(kind, errors.PbemError)) or kind is errors.PbemError:
            continue
        statuses.setdefault(kind.exit_status, []).extend(_paragraphs(kind.__doc__ or "")[:1])
    for status, told in sorted(statuses.items()):
        yield from (".TP", str(status), _escaped(" ".join(told)))
    yield from (".SH EXAMPLES", *_examples(""))


def _commands(group: Any, context: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield the commands of the program or of a family, each with its arguments, options and examples."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = command.context_class(command, info_name=name, parent=context)
        words = inner.command_path.removeprefix("pbem ")
        yield from (f".SS {_escaped(inner.command_path)}", *_usage(command, inner))
        yield from (line for text in _paragraphs(command.help or "") for line in (".PP", _escaped(text)))
        yield from _options(command, inner)
        yield from _examples(words)
        if hasattr(command, "list_commands"):
            yield from _commands(command, inner)


def _usage(command: Any, context: Any) -> Iterator[str]:  # noqa: ANN401
    pieces = " ".join(command.collect_usage_pieces(context))
    yield from (f".B {_escaped(context.command_path)}", _escaped(pieces))


def _options(command: Any, context: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield the arguments and options of a command, as its help lists them."""
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            yield from (".TP", f"\\fB{_escaped(record[0])}\\fR", _escaped(record[1]))


def _examples(words: str) -> Iterator[str]:
    lines = examples_of(words)
    yield from (".PP", *(("Examples:", ".PP") if words else ()))
    yield from (".nf", ".RS", *(_escaped(f"pbem {line}") for line in lines), ".RE", ".fi")


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each as one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _escaped(text: str) -> str:
    """Return the text for roff: no sign in it is a request, and a hyphen can be copied as one."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
