"""Who does the work of a long command, where its finished parts are kept, and how far it is."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from pbem.cli.console import write_err
from pbem.errors import UsageError
from pbem.formats import shown
from pbem.grammar import plural
from pbem.scripts.jobs import Workers
from pbem.scripts.shards import Keep


@contextmanager
def workers_of(jobs: int, cluster: str | None, folder: Path | None) -> Generator[tuple[Workers, Keep | None]]:
    """Yield who works, and where finished parts are kept: so many processes here, or the workers of a cluster.

    What an earlier run has left in the folder is told to standard error, and after an interrupt how to go on. Raises
    UsageError for processes and a cluster.
    """
    if cluster is not None and jobs != 1:
        raise UsageError("--jobs cannot be combined with --cluster")
    keep = None if folder is None else Keep(folder, partial(_tell, shown(folder)))
    try:
        if cluster is None:
            yield jobs, keep
            return
        from pbem.scripts.cluster import Cluster

        found = Cluster(cluster, tell=write_err)
        try:
            yield found, keep
        finally:
            found.close()
    except KeyboardInterrupt:
        if folder is not None and folder.is_dir():  # it is made when the work begins
            write_err(
                f"interrupted; the finished parts are in {shown(folder)}, and the same command continues from there"
            )
        raise


def _tell(folder: str, number: int) -> None:
    found = plural(
        number, "continuing after {n} finished part in {folder}", "continuing after {n} finished parts in {folder}"
    )
    write_err(found.format(folder=folder))
