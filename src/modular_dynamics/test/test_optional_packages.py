"""What is said of optional packages that cannot be imported: the reason, and what is to be done."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import modular_dynamics as md
from helpers.paths import ROOT
from modular_dynamics.optional_packages import EXTRAS, MODULES, import_failure, needed


def test_the_extras_are_those_of_the_project():
    text = (ROOT / "src/modular_dynamics/pyproject.toml").read_text()
    section = text.partition("[project.optional-dependencies]\n")[2].partition("\n\n")[0]
    lines = (line.partition(" = ") for line in section.splitlines())
    assert {name: tuple(re.findall('"([^"]+)"', rest)) for name, _, rest in lines} == EXTRAS


def test_every_extra_has_the_module_that_is_imported():
    for requirement in (one for extra in EXTRAS.values() for one in extra):
        name = re.split("[<>=]", requirement)[0]
        assert import_module(MODULES.get(name, name))


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        ("import coal_that_is_missing", "ModuleNotFoundError: No module named 'coal_that_is_missing'"),
        ("raise ValueError('numpy.dtype size changed')", "ValueError: numpy.dtype size changed"),
        ("raise OSError('libGL.so.1: cannot open shared object file')", "OSError: libGL.so.1: cannot open"),
    ],
)
def test_what_is_installed_is_not_advised_to_be_installed(tmp_path: Path, monkeypatch, content, failure):
    (tmp_path / "casadi.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "casadi", raising=False)
    with pytest.raises(md.MissingDependencyError) as raised, needed("this", "CasADi", "symbolic"):
        import_module("casadi")
    text = str(raised.value)
    assert text.startswith("this needs CasADi, which is installed, but cannot be imported: ")
    assert failure in text
    assert "pip install" not in text


def test_what_is_not_installed_is_advised_to_be_installed():
    with pytest.raises(ModuleNotFoundError) as raised:
        import_module("mcap_ros2_that_is_missing")
    raised.value.name = "mcap_ros2.decoder"
    said = import_failure(raised.value, ("mcap", "mcap-ros2-support"))
    assert said == "is not installed: pip install mcap mcap-ros2-support"
