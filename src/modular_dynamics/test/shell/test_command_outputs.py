"""A file that a command reads is never written, by whatever name it is given."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modular_dynamics.shell import command as lines
from modular_dynamics.shell.command import UsageError, raise_if_read

WORDS = "the command reads this file"


@pytest.fixture
def kept(error):
    """Runs a command that would overwrite a file: one line names it, and it stays as it was."""

    def run(path, *words):
        before = path.read_bytes()
        message = error(*words)
        assert path.read_bytes() == before
        assert f"{WORDS}; give the name of another one" in message or f"{WORDS} ('" in message
        assert words[-1].name in message

    return run


@pytest.fixture
def states(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text("q_turn,q_bend,q_left,q_right\n" + "0,0,0,0\n" * 3, "utf-8")
    return path


@pytest.mark.parametrize("name", ["id", "fd", "gravity"])
def test_states_are_not_replaced_by_results(kept, four_link, states, name):
    kept(states, name, four_link, states, "-o", states)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_links_are_the_file_that_they_lead_to(kept, four_link, states, tmp_path, link):
    other = tmp_path / "other.csv"
    link(states, other)
    kept(states, "id", four_link, states, "-o", other)
    kept(states, "id", four_link, other, "-o", states)


@pytest.mark.parametrize("name", ["r.txt", "r.dot", "r.png", "r.svg"])
def test_graph_keeps_the_robot(kept, four_link, tmp_path, name):
    robot = shutil.copy(four_link, tmp_path / name)
    kept(robot, "graph", robot, "-o", robot)


def test_robots_and_partitions_are_kept(kept, four_link, tmp_path):
    robot = shutil.copy(four_link, tmp_path / "robot.csv")
    kept(robot, "id", robot, "-o", robot)
    partition = tmp_path / "partition.txt"
    partition.write_text("subsystems: []\n", "utf-8")
    kept(partition, "graph", four_link, "--partition", partition, "-o", partition)


def test_plot_keeps_its_table_also_by_the_default_name(kept, error, states):
    table = states.with_name("t.png")
    table.write_text("tau_a\n1\n2\n", "utf-8")
    kept(table, "plot", table, "-o", table)
    (given := states.with_name("t.csv")).symlink_to(table)
    assert WORDS in error("plot", given)
    assert table.read_text("utf-8") == "tau_a\n1\n2\n"


def test_standard_input_is_a_file_too(four_link, states):
    before = states.read_bytes()
    command = (sys.executable, "-m", "modular_dynamics", "id", four_link, "-", "-o", states)
    with open(states, "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"{WORDS} (standard input)" in done.stderr
    assert states.read_bytes() == before


def test_other_files_are_written_whether_or_not_they_are_there(shell, four_link, states, tmp_path):
    for _ in range(2):
        assert shell("id", four_link, states, "-o", tmp_path / "torques.csv").code == 0
    assert len((tmp_path / "torques.csv").read_text("utf-8").splitlines()) == 4


@pytest.mark.parametrize("name", ["metadata.yaml", "x_0.mcap", "x_0.db3", "x_0.mcap.zstd"])
def test_files_of_a_bag_are_read_and_others_in_its_folder_are_not(tmp_path, name):
    for one in (name, "torques.csv"):
        (tmp_path / one).write_text("x", "utf-8")
    with pytest.raises(UsageError, match=WORDS):
        raise_if_read("--csv", tmp_path / name, [tmp_path])
    raise_if_read("--csv", tmp_path / "torques.csv", [tmp_path])


def test_what_cannot_be_compared_is_no_file_that_is_read(tmp_path, monkeypatch):
    file = tmp_path / "a"
    file.write_text("x", "utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    raise_if_read("-o", file, [None, "", "-", tmp_path / "none", "zero\0byte", "x" * 5000])
    raise_if_read("-o", "/dev/null", ["/dev/null"])
    raise_if_read("-o", None, [file])


# Files without end, which a table would fill the memory with.


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device without end is needed")
@pytest.mark.parametrize("words", [("plot", "/dev/zero", "-o", "x.png"), ("id", "ROBOT", "/dev/zero")])
def test_a_device_without_end_is_refused(error, four_link, words):
    assert "this is no table" in error(*(four_link if word == "ROBOT" else word for word in words))


def test_a_long_line_is_named_and_shorter_ones_are_read(error, shell, tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 30)
    path = tmp_path / "t.csv"
    path.write_text("time,tau_a\n0,1\n", "utf-8")
    assert shell("plot", path).code == 0
    path.write_text(f"time,tau_a\n0,{'1' * 40}\n", "utf-8")
    assert "line 2 has more than 30 characters" in error("plot", path)
