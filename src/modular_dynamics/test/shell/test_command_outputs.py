"""A file that a command reads is never written, by whatever name it is given."""

import os
import shutil
import subprocess
import sys

import pytest

from modular_dynamics.shell.command import UsageError, raise_if_read

WORDS = "the command reads this file"


@pytest.fixture
def kept(error):
    """Runs a command that would overwrite a file: one line names it, and it stays as it was."""

    def run(path, *words):
        before = path.read_bytes()
        message = error(*words)
        assert path.read_bytes() == before
        assert f"{WORDS} ('" in message

    return run


@pytest.fixture
def states(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text("q_turn,q_bend,q_left,q_right\n" + "0,0,0,0\n" * 3, "utf-8")
    return path


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_states_are_not_replaced_by_results_nor_through_links(kept, four_link, states, tmp_path, link):
    other = tmp_path / "other.csv"
    link(states, other)
    for given, output in ((states, states), (states, other), (other, states)):
        kept(states, "id", four_link, given, "-o", output)


def test_robots_and_partitions_are_kept(kept, four_link, tmp_path):
    for command, name in (("id", "robot.csv"), ("graph", "robot.txt"), ("graph", "robot.svg")):
        robot = shutil.copy(four_link, tmp_path / name)
        kept(robot, command, robot, "-o", robot)
    partition = tmp_path / "partition.txt"
    partition.write_text("subsystems: []\n", "utf-8")
    kept(partition, "graph", four_link, "--partition", partition, "-o", partition)


def test_standard_input_is_a_file_too(four_link, states):
    before = states.read_bytes()
    command = (sys.executable, "-m", "modular_dynamics", "id", four_link, "-", "-o", states)
    with open(states, "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"{WORDS} ('-')" in done.stderr
    assert states.read_bytes() == before


def test_other_files_are_written_whether_or_not_they_are_there(shell, four_link, states, tmp_path):
    for _ in range(2):
        assert shell("id", four_link, states, "-o", tmp_path / "torques.csv").code == 0
    assert len((tmp_path / "torques.csv").read_text("utf-8").splitlines()) == 4


@pytest.mark.parametrize("words", [("id", "a.csv"), ("graph", "a.txt"), ("graph", "a.svg")])
def test_what_cannot_be_written_leaves_the_older_file(shell, four_link, tmp_path, full_disk, words):
    (older := tmp_path / words[1]).write_text("older", "utf-8")
    found = shell(words[0], four_link, "-o", older)
    assert (found.code, "No space left" in found.err, older.read_text("utf-8")) == (2, True, "older")
    assert [path.name for path in tmp_path.iterdir()] == [older.name]


def test_results_up_to_a_state_that_fails_leave_the_older_file(error, four_link, tmp_path):
    (states := tmp_path / "q.csv").write_text("q_turn,q_bend,q_left,q_right\n0,0,0,0\n0,0,0,x\n", "utf-8")
    (older := tmp_path / "tau.csv").write_text("older", "utf-8")
    assert "line 3, column q_right" in error("id", four_link, states, "-o", older)
    assert older.read_text("utf-8") == "older"


@pytest.mark.parametrize("name", ["metadata.yaml", "x_0.mcap", "x_0.db3", "x_0.mcap.zstd"])
def test_files_of_a_bag_are_read_and_others_in_its_folder_are_not(tmp_path, name):
    for one in (name, "torques.csv"):
        (tmp_path / one).write_text("x", "utf-8")
    with pytest.raises(UsageError, match=WORDS):
        raise_if_read("--csv", tmp_path / name, [tmp_path])
    raise_if_read("--csv", tmp_path / "torques.csv", [tmp_path])


def test_what_is_no_file_is_not_one_that_is_read(tmp_path):
    file = tmp_path / "a"
    file.write_text("x", "utf-8")
    raise_if_read("-o", file, [None, "", "-", tmp_path / "none", "zero\0byte", "x" * 5000])
    raise_if_read("-o", "/dev/null", ["/dev/null"])
    raise_if_read("-o", None, [file])
