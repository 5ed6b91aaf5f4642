"""Examples print what their docstrings say; Python in README and docs runs as it stands there."""

import doctest
import re
import runpy
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(page, block, id=f"{page.stem}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S))
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(autouse=True)
def _no_trace(monkeypatch, tmp_path):
    monkeypatch.setenv("MODULAR_DYNAMICS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.argv", ["example"])


def shown(docstring: str) -> str:
    """What the docstring says that the example prints."""
    return textwrap.dedent(docstring.partition("Prints:\n")[2])


def unsigned_zeros(text: str) -> str:
    """The sign of a zero depends on rounding."""
    return re.sub(r"-(0\.0*)(?!\d)", r" \1", text)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_prints_what_its_docstring_says(example, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # from any folder
    docstring = runpy.run_path(str(example), run_name="__main__")["__doc__"]
    printed = capsys.readouterr().out
    assert shown(docstring).strip()
    assert doctest.OutputChecker().check_output(*map(unsigned_zeros, (shown(docstring), printed)), FLAGS), printed
    assert not list(tmp_path.glob("*.*"))  # nothing is left in the folder it was started from


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_fits_on_a_page(example):
    assert len(example.read_text("utf-8").splitlines()) <= 40


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_python_of_a_page_runs(page, block, monkeypatch):
    monkeypatch.chdir(ROOT)  # pages name files as seen from the repository's root
    exec(compile(block, str(page), "exec"), {"__name__": "__main__"})


def test_every_example_is_on_the_page_about_the_library():
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    assert {f"examples/{example.name}" for example in EXAMPLES} == set(re.findall(r"examples/\w+\.py", page))
