"""`python -m examples.demo` as a user runs it, at a low rate."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from helpers.nodes.waiting import LIMIT
from helpers.paths import ROBOTS
from helpers.processes import run_python

pytestmark = [pytest.mark.ros, pytest.mark.slow]
FOUR_LINK = str(ROBOTS / "four_link.urdf")


@pytest.fixture
def demo(root):
    """Starts the demo; what still runs after the test is ended."""
    started = []

    def start(out, *arguments, folder=root):
        command = [sys.executable, "-m", "examples.demo", "--rate", "50", "--out", str(out)]
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            env=os.environ | importable(root),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()  # it ends its nodes
            process.communicate()


def importable(root):
    """The environment in which examples are found from any folder."""
    return {"PYTHONPATH": os.pathsep.join((str(root), os.environ.get("PYTHONPATH", "")))}


def wait_until(reached, process):
    """Wait for a condition while a process lives."""
    deadline = time.monotonic() + LIMIT
    while not reached():
        assert time.monotonic() < deadline, "waited in vain"
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def printed(process, code):
    """All that a process prints until it ends with this code."""
    text, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == code, text
    return text


def left_behind(out):
    """Command lines of processes that belong to the demo with this folder or this URDF."""
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    return [line for line in lines if "modular_dynamics_ros" in line and str(out) in line]


def urdf_copy(root, out):
    """The robot under a name by which this test's processes are known."""
    out.mkdir()
    path = out / "charmie.urdf"
    path.write_text((root / "urdf/charmie.urdf").read_text())
    return str(path)


def test_it_prints_the_table_writes_the_pictures_and_leaves_nothing_behind(demo, root, tmp_path):
    out, motion = tmp_path / "a folder with spaces", tmp_path / "one_second.yaml"
    published = (root / "config/charmie_motion.yaml").read_text()
    motion.write_text(published.replace(" 5.0", " 1.0").replace(" 2.5", " 0.5"))
    text = printed(demo(out, "--urdf", urdf_copy(root, out), "--motion", str(motion)), 0)
    for words in ("51 / 51", "545.4", "left_arm", "latency p99"):
        assert words in text
    for name in ("torques.png", "subsystem_graph.png", "subsystem_graph.dot"):
        assert (out / name).stat().st_size > 500
    assert left_behind(out) == []


@pytest.mark.nightly  # by day `make demo` plays it in .ci/run
def test_it_works_in_any_folder_and_writes_into_that(root, tmp_path):
    environment = os.environ | importable(root)
    process = run_python("-m", "examples.demo", "--rate", 20, cwd=tmp_path, timeout=LIMIT, env=environment)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "101 / 101" in process.stdout
    assert (tmp_path / "out/demo/torques.png").stat().st_size > 500
    words = " ".join(process.stdout.split())  # the torso, too
    assert "reactions received │ 101 │" in words
    assert "weight on body 3, mean │ 545.4 │" in words
    assert "answers with another body's joints │ 0" in words  # and the robot of modules
    assert "9 modules, from" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--params", "nowhere"), "there is no file 'nowhere'"),
        (("--urdf", FOUR_LINK), "does not name 'turn', 'bend', 'left', 'right' of 'four_link'"),
    ],
)
def test_nothing_is_written_before_the_inputs_are_checked(demo, tmp_path, options, words):
    text = printed(demo("out", *options, folder=tmp_path), 1)
    assert words in " ".join(text.split())
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_demo_leaves_nothing_behind(demo, root, tmp_path):
    out = tmp_path / "out"
    process = demo(out, "--urdf", urdf_copy(root, out))
    wait_until((out / "joint_state_player.log").exists, process)
    process.send_signal(signal.SIGINT)
    printed(process, 130)
    assert left_behind(out) == []


def test_a_node_that_refuses_its_parameters_ends_the_demo_at_once(demo, root, tmp_path):
    out = tmp_path / "out"
    urdf = urdf_copy(root, out)
    params = (root / "config/charmie.yaml").read_text().replace("- head_tilt", "- nonsense")
    (out / "params.yaml").write_text(params)
    text = printed(demo(out, "--urdf", urdf, "--params", str(out / "params.yaml")), 1)
    assert "controller_joints names 'nonsense'" in text
    assert left_behind(out) == []
