"""README, docs and examples: links lead somewhere, examples print what is promised, what pages name exists.

All packages have one version.
"""

import doctest
import re
import runpy
import textwrap
from xml.etree import ElementTree

import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROOT

LIBRARY = "src/modular_dynamics/modular_dynamics"
NODES = "src/modular_dynamics_ros/modular_dynamics_ros"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
DOCS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "articles"]  # copies
PAGES += [*DOCS, *sorted((ROOT / "urdf").glob("*.md")), *sorted((ROOT / "papers").rglob("*.md"))]
ENDINGS = "py|md|yaml|urdf|xml|toml|cff|cpp|txt|sh"
# nodes run until they are ended: their tests are elsewhere; launch files start nodes: test/launch
EXAMPLES = [
    path
    for path in sorted((ROOT / "examples").rglob("*.py"))
    if path.parent.name not in ("nodes", "demo") and not path.name.endswith(".launch.py")
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def anchors(page):
    """Of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    words = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", word).replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_headings_lead_to_one(page):
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    targets = [(page.parent / file if file else page, heading) for file, heading in links]
    assert [heading for target, heading in targets if heading not in anchors(target)] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_files_that_a_page_names_exist(page):
    text = page.read_text("utf-8")
    named = set(re.findall(rf"`([\w./]+/(?:[\w.]+\.(?:{ENDINGS}))?)`", text))
    folders = [ROOT, *(ROOT / folder for folder in (LIBRARY, NODES))]
    made = ("out/", ".venv/", "install/")
    missing = {
        name
        for name in named
        if not name.startswith(made)
        and "NAME" not in name
        and not any((folder / name).exists() for folder in folders)
    }
    assert missing == set()


def test_every_program_of_the_benchmark_that_a_page_names_has_help():
    """Without a parser --help would measure, for minutes."""
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    words = set(re.findall(r"python (?:-m )?(benchmark[./][\w./]+\w)", text))
    files = sorted(ROOT / f"{word.removesuffix('.py').replace('.', '/')}.py" for word in words)
    assert len(files) > 3
    assert [file.name for file in files if ".parse_args(" not in file.read_text("utf-8")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_targets_of_make_that_a_page_names_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = set(re.findall(r"`make ([a-z-]+[a-z])\b", page.read_text("utf-8")))
    assert named - targets - {"paper"} == set()  # `make paper-...`


def test_every_robustness_test_is_on_its_page():
    code = (ROOT / "test/robustness/__main__.py").read_text("utf-8")
    tests = set(re.findall(r'^    "(\w+)": "[\w.]+",$', code, re.M))
    page = (ROOT / "docs/contributing/robustness.md").read_text("utf-8").partition("| test | what |")[2]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.M)
    assert len(tests) > 10
    assert {name for row in rows for name in re.findall(r"\w+", row)} == tests


@pytest.mark.parametrize("package", [LIBRARY, NODES])
def test_every_folder_of_a_package_is_in_the_map(package):
    text = (ROOT / "docs/contributing/architecture.md").read_text("utf-8")
    folders = {path.parent.relative_to(ROOT / package).as_posix() for path in (ROOT / package).rglob("*.py")}
    assert {folder for folder in folders - {"."} if f"| `{folder}/` |" not in text} == set()


def test_all_packages_have_one_version():
    versions = {
        str(path.relative_to(ROOT)): ElementTree.parse(path).findtext("version")
        for path in (ROOT / "src").glob("*/package.xml")
    }
    project = (ROOT / "src/modular_dynamics/pyproject.toml").read_text("utf-8")
    versions["pyproject.toml"] = re.search(r'^version = "(.*)"$', project, re.M)[1]
    versions["CITATION.cff"] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"]
    assert set(versions.values()) == {md.__version__}, versions


def shown(docstring: str) -> str:
    """What the docstring says that the example prints."""
    return textwrap.dedent(docstring.partition("Prints::\n")[2])


def unsigned_zeros(text: str) -> str:
    """The sign of a zero depends on rounding."""
    return re.sub(r"-(0\.0*)(?!\d)", r" \1", text)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_prints_what_its_docstring_says(example, capsys, monkeypatch, tmp_path):
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
    assert len(example.read_text("utf-8").splitlines()) <= 44  # four of them its title


def test_every_example_is_in_the_list_of_the_library_page():
    page = (ROOT / "docs/reference/library.md").read_text("utf-8")
    named = set(re.findall(r"examples/[\w/]+\.py", page))
    assert {example.relative_to(ROOT).as_posix() for example in EXAMPLES} == named
