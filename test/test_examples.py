"""Examples print what their docstrings say."""

import doctest
import re
import runpy
import textwrap

import pytest

from helpers.paths import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def shown(docstring: str) -> str:
    """What the docstring says that the example prints."""
    return textwrap.dedent(docstring.partition("Prints:\n")[2])


def unsigned_zeros(text: str) -> str:
    """The sign of a zero depends on rounding."""
    return re.sub(r"-(0\.0*)(?!\d)", r" \1", text)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_prints_what_its_docstring_says(example, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MODULAR_DYNAMICS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.argv", [example.name])
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")  # from any folder
    docstring = runpy.run_path(str(example), run_name="__main__")["__doc__"]
    printed = capsys.readouterr().out
    expected, got = unsigned_zeros(shown(docstring)), unsigned_zeros(printed)
    assert expected.strip()
    assert doctest.OutputChecker().check_output(expected, got, FLAGS), printed
    assert not list((tmp_path / "folder").iterdir())  # nothing is left where it was started


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_fits_on_a_page(example):
    assert len(example.read_text("utf-8").splitlines()) <= 40


def test_every_example_is_in_the_list_of_the_library_page():
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    assert {f"examples/{example.name}" for example in EXAMPLES} == set(re.findall(r"examples/\w+\.py", page))
