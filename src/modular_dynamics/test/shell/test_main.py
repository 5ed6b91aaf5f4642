"""The command as a process: help, exit codes, pipes, signals, completion; and faults of the program."""

import os
import re
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

import modular_dynamics as md
from helpers.processes import run_python
from modular_dynamics import _core
from modular_dynamics.shell import check
from modular_dynamics.shell import main as commands
from modular_dynamics.shell.command import Command

COMMANDS = [one.name for one in commands.OWN]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_alone_says_everything(shell, name):
    found = shell(name, "--help")
    assert found.code == 0
    assert "examples:\n  modular-dynamics" in found.out
    options = re.split(r"\n  (?=-)", found.out)[1:]
    assert len(options) >= 2
    for text in options:
        words = " ".join(text.split())
        if "-h, --help" in words:
            continue
        assert "default" in words or "print" in words or "repeatable" in words or "zero" in words, words


def test_version_and_words_that_are_no_command(shell):
    core = f"core: {_core.processor}, {_core.lanes} lanes\n"
    assert shell("--version").out == f"modular-dynamics {md.__version__}\n{core}"
    assert shell("check", "--version").out == f"modular-dynamics check {md.__version__}\n{core}"
    for words in ((), ("chek",), ("check",), ("check", "a", "--bogus"), ("id", "r.urdf", "--gravity", "1,2")):
        found = shell(*words)
        assert (found.code, found.out, found.err.count("\n")) == (2, "", 1), found.err
        assert found.err.endswith("--help\n")
    assert shell("check", "a", "--bogus").err.endswith("see modular-dynamics check --help\n")


def test_a_fault_of_the_program_takes_one_line_and_on_request_all(shell, four_link, monkeypatch):
    def fail(*_):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(check, "compare", fail)
    found = shell("check", four_link)
    assert (found.code, found.err.count("\n")) == (3, 1)
    assert "RuntimeError: two lines (a fault of this program" in found.err
    monkeypatch.setenv("MODULAR_DYNAMICS_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        shell("check", four_link)


def command_of(*words):
    return [sys.executable, "-m", "modular_dynamics", *map(str, words)]


def test_a_reader_that_leaves_is_no_error(tmp_path, four_link):
    states = tmp_path / "states.csv"
    states.write_text("q_turn,q_bend,q_left,q_right\n" + "0.1,0.2,0.3,0.4\n" * 20_000, "utf-8")
    with subprocess.Popen(
        command_of("id", four_link, states), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline().startswith(b"tau_turn")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_interruption_is_quiet(four_link):
    with subprocess.Popen(
        command_of("id", four_link, "-", "--csv"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"q_turn,q_bend,q_left,q_right\n" + b"0,0,0,0\n" * 5_000)
        process.stdin.flush()
        process.stdout.readline()  # it computes
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.stderr.read() == b""
        assert process.wait() == 130


def test_a_terminal_without_unicode(four_link):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = run_python("-m", "modular_dynamics", "graph", four_link, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "four_link" in done.stdout


# Commands of other packages: registered, missing, and broken ones.


GROUP = "modular_dynamics.commands"
OTHER = Command(
    "survey", "a survey", "About it.", "", lambda parser: parser.add_argument("file"), lambda given: 7
)


@pytest.fixture
def registered(monkeypatch):
    def register(**objects):
        entries = [EntryPoint(name, value, GROUP) for name, value in objects.items()]
        monkeypatch.setattr(commands, "entry_points", lambda group: entries if group == GROUP else [])

    register()
    return register


def test_a_registered_command_is_there_and_runs(shell, registered, monkeypatch):
    monkeypatch.setitem(sys.modules, "package_with_a_command", SimpleNamespace(OTHER=OTHER))
    registered(survey="package_with_a_command:OTHER")
    assert "a survey" in shell("--help").out
    assert shell("survey", "file").code == 7


@pytest.mark.parametrize(
    "value", ["no_such_module:X", "modular_dynamics.shell.command:NOTHING", "json:dumps"]
)
def test_a_broken_command_of_another_package_leaves_the_others(shell, registered, four_link, value):
    registered(broken=value)
    assert shell("check", four_link, "--states", 0).code == 0
    found = shell("broken", "--anything")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert f"'{value}'" in found.err


def test_other_packages_cannot_replace_own_commands(shell, registered, four_link):
    registered(check="json:dumps")
    assert shell("check", four_link, "--states", 0).code == 0
