"""Runs as processes: whoever is killed, the result is the same, byte for byte."""

import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from helpers.studies import FOUR_BAR, study_file
from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import Evaluator, load_study
from modular_dynamics.study import run as running
from modular_dynamics.study.run import read_refined, run_study
from modular_dynamics.study.store import Store, columns_of_file

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
    """A run in a session of its own, whose chunks are small, and which has begun to write them."""
    store = Store(folder, load_study(path))
    if not folder.exists():
        folder.mkdir()
        store.decide(1000)
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


@pytest.mark.parametrize("workers", [2, 3])
def test_the_bytes_do_not_depend_on_the_number_of_workers_nor_on_the_size_of_chunks(study, tmp_path, workers):
    path, expected = study
    store = Store(tmp_path / "out", load_study(path))
    (tmp_path / "out").mkdir()
    store.decide(1000 * workers)
    done = run_study(load_study(path), tmp_path / "out", workers=workers)
    assert (done.designs, done.computed, done.workers) == (12_000, 12_000, workers)
    assert store.result.read_bytes() == expected
    assert not (tmp_path / "out" / "chunks").exists()


def test_a_run_whose_workers_are_killed_goes_on(study, tmp_path):
    path, expected = study
    process = started(path, tmp_path / "out", "--workers", "2")
    victim = random.Random(1).choice(workers_of(process) or [None])
    if victim is not None:
        victim.kill()
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    assert b"12,000 designs, 12,000 keep everything" in out
    assert (tmp_path / "out" / "designs.parquet").read_bytes() == expected


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


def test_the_same_study_is_not_run_twice_at_once(study, tmp_path):
    path, _ = study
    store = Store(tmp_path, load_study(path))
    with store.locked(), pytest.raises(StudyError, match="another run writes into"):
        run_study(load_study(path), tmp_path)


def test_a_refined_design_is_at_least_as_good_and_repeated_by_its_seed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(running, "CHUNK_SECONDS", 0.01)
    monkeypatch.setattr(running, "_ELSEWHERE", 0.0)
    refine = {"generations": 3, "population": 6, "seed": 4}
    inputs = {
        "coupler": {"range": [0.095, 0.11], "steps": 3, "sets": "loop joint J2 successor x"},
        "com": {"range": [-0.03, 0.03], "steps": 3, "sets": "link output com y"},
    }
    study = load_study(study_file(tmp_path, inputs=inputs, refine=refine))
    for name in ("first", "second"):
        run_study(study, tmp_path / name, workers=2, quiet=name == "first")
        lines = [one for one in capsys.readouterr().err.splitlines() if one.startswith("refining: ")]
        assert (lines == []) == (name == "first")
    assert [line.split(",")[0] for line in lines] == [
        f"refining: generation {k} of at most 3" for k in range(4)
    ]
    texts = [(tmp_path / name / "refined.json").read_text() for name in ("first", "second")]
    assert texts[0] == texts[1]
    store = Store(tmp_path / "first", study)
    found = columns_of_file(store.result, ["largest", "violations"])
    refined = read_refined(study, store)
    published = Evaluator(study).published()["largest"][0]
    best = found["largest"][found["violations"] == 0].min() / published
    assert refined["score"] <= best * (1.0 + 1e-12)
    assert f"best score {refined['score']:.5g} " in lines[-1]
    short = texts[0].replace(str(refined["numbers"][0]) + ",", "", 1)
    for damaged in ("[]", '{"settings": {}}', "{", short):
        store.refined.write_text(damaged)
        with pytest.raises(StudyError, match=r"refined\.json' (is damaged|cannot be read)"):
            read_refined(study, store)
