"""Commands of other packages: registered, missing, and broken ones."""

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from modular_dynamics.shell import main as module
from modular_dynamics.shell.command import Command

GROUP = "modular_dynamics.commands"
OTHER = Command(
    "survey", "a survey", "About it.", "", lambda parser: parser.add_argument("file"), lambda given: 7
)


@pytest.fixture
def registered(monkeypatch):
    def register(**objects):
        entries = [EntryPoint(name, value, GROUP) for name, value in objects.items()]
        monkeypatch.setattr(module, "entry_points", lambda group: entries if group == GROUP else [])

    register()
    return register


def test_a_registered_command_is_there_and_runs(shell, registered, monkeypatch):
    monkeypatch.setitem(sys.modules, "package_with_a_command", SimpleNamespace(OTHER=OTHER))
    registered(survey="package_with_a_command:OTHER")
    assert "a survey" in shell("--help").out
    assert shell("survey", "file").code == 7


def test_without_its_package_bag_says_what_to_install(shell, registered):
    assert "bag" in shell("--help").out
    found = shell("bag", "recording/", "--csv", "t.csv")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(
        "modular-dynamics bag: the package modular_dynamics_ros is not installed: pip install"
    )
    assert found.err.count("\n") == 1


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
