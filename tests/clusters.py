"""The programs of a cluster, each a process of its own: forked off from one that has read what takes them a second."""

import multiprocessing
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import dask

# A nanny starts its worker as this file starts the nanny.
dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})

SCHEDULER, WORKER = "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["clusters", SCHEDULER, WORKER, "pbem.scripts.cluster", "pbem.scripts.simulation"])


def started(
    program: str, *words: str, out: Path, err: Path, env: Mapping[str, str], lacking: str = ""
) -> multiprocessing.process.BaseProcess:
    """Start the module *program* with words, in that environment; where it runs, there is no package *lacking*."""
    process = _SERVER.Process(target=_be, args=(program, words, str(out), str(err), dict(env), lacking))
    process.start()
    return process


def _be(program: str, words: tuple[str, ...], out: str, err: str, env: dict[str, str], lacking: str) -> None:
    for number, path in ((1, out), (2, err)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = env.get("PYTHONPATH", "").split(os.pathsep)
    if lacking:
        for name in [*sys.modules]:
            if name.partition(".")[0] == lacking:
                del sys.modules[name]
        sys.modules[lacking] = None  # type: ignore[assignment]
    sys.argv = [program, *words]
    import_module(program).main()
