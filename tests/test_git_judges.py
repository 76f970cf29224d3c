"""What each judge of commits may know: the questions that decide whether a stranger could ask the secret."""

from itertools import product

import pytest

from pbem.carriers.git.judges import Judge


@pytest.mark.parametrize(("alone", "signed"), [*product((True, False), repeat=2)])
def test_only_of_what_strangers_push_the_secret_is_not_always_asked(alone: bool, signed: bool) -> None:
    """It is of a commit that comes alone, which had to be made in any case, and of what the host has signed."""
    assert Judge("game.toml", "reader").may_ask(alone=alone, signed=signed)
    assert Judge("game.toml", "checker").may_ask(alone=alone, signed=signed)
    assert Judge("game.toml", "server").may_ask(alone=alone, signed=signed) == (alone or signed)


@pytest.mark.parametrize(
    ("judge", "unsigned"),
    [
        (Judge("game.toml", "reader"), True),
        (Judge("game.toml", "checker"), False),
        (Judge("game.toml", "server", signed=True), False),
    ],
)
def test_draws_that_nothing_proves_are_believed_by_who_only_reads(judge: Judge, unsigned: bool) -> None:
    """Others want the signature of the host."""
    assert judge.believes(signed=True)
    assert judge.believes(signed=False) == unsigned
