"""Runs as processes: whoever is killed, the result is the same, byte for byte."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from helpers.studies import FOUR_BAR, study_file
from modular_dynamics.study import load_study
from modular_dynamics.study.run import run_study
from modular_dynamics.study.store import Store

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "modular_dynamics", "study", "run"]
INPUTS = {**FOUR_BAR["inputs"], "coupler": {**FOUR_BAR["inputs"]["coupler"], "steps": 2000}}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Of 12,000 designs; and the undisturbed result of one worker."""
    folder = tmp_path_factory.mktemp("study")
    path = study_file(folder, inputs=INPUTS)
    run_study(load_study(path), folder / "undisturbed", workers=1)
    return path, (folder / "undisturbed" / "designs.parquet").read_bytes()


def started(path, folder, *words):
    """A run in a session of its own, which has begun to write chunks."""
    command = [*COMMAND, path, "-o", folder, "--quiet", *words]
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    before = len(list(folder.glob("chunks/[0-9]*")))
    while process.poll() is None and len(list(folder.glob("chunks/[0-9]*"))) == before:
        time.sleep(0.005)
    return process


def workers_of(process):
    """Processes that the run has started to compute."""
    try:
        children = psutil.Process(process.pid).children(recursive=True)
        return [one for one in children if "spawn_main" in " ".join(one.cmdline())]
    except psutil.NoSuchProcess:
        return []


def test_the_bytes_do_not_depend_on_the_number_of_workers(study, tmp_path):
    path, expected = study
    store = Store(tmp_path / "out", load_study(path))
    done = run_study(load_study(path), tmp_path / "out", workers=2)
    assert (done.computed, done.workers) == (12_000, 2)
    assert store.result.read_bytes() == expected
    assert not (tmp_path / "out" / "chunks").exists()


def test_a_run_that_is_killed_leaves_no_worker_and_is_continued(study, tmp_path):
    path, expected = study
    store = Store(tmp_path / "out", load_study(path))
    process = started(path, tmp_path / "out", "--workers", "2")
    workers = workers_of(process)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert alive == []
    store.open()
    left = len(list(store.missing()))
    done = run_study(load_study(path), tmp_path / "out", workers=1)
    assert done.computed == left * 1000 < 12_000  # nothing twice
    assert store.result.read_bytes() == expected
    assert run_study(load_study(path), tmp_path / "out").computed == 0


def test_an_interrupt_takes_one_line_and_the_same_command_goes_on(study, tmp_path):
    path, expected = study
    process = started(path, tmp_path / "out", "--workers", "1")
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does, to workers as well
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.count(b"\n")) == (130, b"", 1), err
    assert b"interrupted; what was finished is in" in err
    assert subprocess.run([*COMMAND, path, "-o", tmp_path / "out", "--quiet"], check=False).returncode == 0
    assert (tmp_path / "out" / "designs.parquet").read_bytes() == expected


def test_any_dask_cluster_gives_the_same_bytes(study, tmp_path):
    distributed = pytest.importorskip("distributed")
    path, expected = study
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        done = run_study(load_study(path), tmp_path / "out", scheduler=cluster.scheduler_address)
    assert done.computed == 12_000
    assert (tmp_path / "out" / "designs.parquet").read_bytes() == expected
