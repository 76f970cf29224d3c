"""A plan in its normal form, which ``read`` reads back as the same plan."""

from collections.abc import Iterable, Iterator

from pbem.first_sparks.plans.plan import Always, Placing, Plan, Wish


def write(plan: Plan) -> tuple[str, ...]:
    """Return the lines of the plan."""
    return tuple(f"plan {line}" for line in _lines(plan))


def write_always(always: Always) -> tuple[str, ...]:
    """Return the lines of the rules that hold always."""
    declines = (f"always decline {_row(always.declines)}",) if always.declines else ()
    return (*declines, "always drop least") if always.least else declines


def _lines(plan: Plan) -> Iterator[str]:
    otherwise = f"else {plan.otherwise}" if plan.otherwise else ""
    if plan.ranking or otherwise:
        yield f"{_row(plan.ranking)} {otherwise}".strip()
    for wish, wanted_by in plan.buys:
        yield f"buy {wish} if {wanted_by} wants it" if wanted_by else f"buy {wish}"
    if plan.declines:
        yield f"decline {_row(plan.declines)}"
    if plan.passes:
        yield "pass"
    if plan.offers:
        yield f"offer {_row(plan.offers)}"
    for word, said in (("new", plan.new), ("drop", plan.drop)):
        if said:
            yield f"{word} {said}"
    if plan.take:
        yield plan.take
    if plan.spread:
        yield f"spread {_places(plan.spread)}"
    if plan.spread_neutral:
        yield f"spread neutral {' '.join(plan.spread_neutral)}"
    if plan.settle:
        yield f"settle {' '.join(plan.settle)}"
    if plan.settle_neutral:
        yield f"settle neutral {' '.join(plan.settle_neutral)}"
    if plan.add:
        yield f"add {_places(plan.add)}"
    if plan.stay:
        yield "stay"


def _row(wishes: Iterable[Wish]) -> str:
    return " ".join(map(str, wishes))


def _places(placing: Placing) -> str:
    most = () if placing.most is None else (f"at most {placing.most}",)
    return " ".join((*placing.spaces, *most, *(("else stay",) if placing.stay else ())))
