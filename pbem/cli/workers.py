"""Who does the work of a long command, where its finished parts are kept, and how far it is."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pbem.cli.console import write_err
from pbem.errors import UsageError
from pbem.formats import shown
from pbem.grammar import plural
from pbem.scripts.jobs import Workers
from pbem.scripts.kept import Keep


@contextmanager
def workers_of(jobs: int, cluster: str | None) -> Generator[Workers]:
    """Yield who works: so many processes here, or the workers of a cluster; raises UsageError for both."""
    if cluster is None:
        yield jobs
        return
    if jobs != 1:
        raise UsageError("--jobs cannot be combined with --cluster")
    from pbem.scripts.cluster import Cluster

    found = Cluster(cluster)
    try:
        yield found
    finally:
        found.close()


def keep_in(folder: Path | None) -> Keep | None:
    """Return where finished parts are kept, if anywhere; what an earlier run has left is told to standard error."""
    if folder is None:
        return None

    def tell(number: int) -> None:
        found = plural(
            number, "continuing after {n} finished part in {folder}", "continuing after {n} finished parts in {folder}"
        )
        write_err(found.format(folder=shown(folder)))

    return Keep(folder, tell)
