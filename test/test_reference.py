"""The reference says what the code has: each public name once, tables of parameters and help texts as of now.

`make docs-figures` makes docs/generated/ anew.
"""

import re
from dataclasses import fields
from importlib import import_module
from types import ModuleType

import pytest

from docs.generate import command_options, parameters, result_codes
from helpers.paths import ROOT

NODES = parameters.TABLES
PAGES = ROOT / "docs/reference"
MADE = ROOT / "docs/generated"
PACKAGES = [
    "modular_dynamics",
    *(
        f"modular_dynamics.{name}"
        for name in (
            "algebra",
            "composition",
            "crosscheck",
            "loops",
            "model.joint_order",
            "modular.equations",
            "modular.gaits",
            "modular",
            "study",
            "urdf",
            "mjcf",
        )
    ),
]


def named(page):
    """Names of the objects that the directives of a page document; an automodule stands for its __all__."""
    made, module = [], ""
    text = page.read_text("utf-8")
    for directive, name, options in re.findall(
        r"^\.\. (\w+):: ([\w.]+)(?:\(\))?\n((?:   :.*\n)*)", text, re.M
    ):
        if directive == "currentmodule":
            module = name
        elif directive == "automodule":
            left_out = re.findall(r"\w+", options.partition(":exclude-members:")[2].partition("\n")[0])
            made += [f"{name}.{one}" for one in import_module(name).__all__ if one not in left_out]
        else:
            assert directive in ("autofunction", "autoclass", "autodata", "autoexception"), directive
            made.append(name if "." in name else f"{module}.{name}")
    return made


def test_each_public_name_is_on_one_page_of_the_reference():
    """A name of several packages is that of the first."""
    expected = {}
    for package in map(import_module, PACKAGES):
        for name in package.__all__:
            value = getattr(package, name)
            if not isinstance(value, ModuleType):
                expected.setdefault(id(value), f"{package.__name__}.{name}")
    made = [one for page in sorted(PAGES.rglob("*.md")) for one in named(page)]
    assert [one for one in expected.values() if one not in made] == []
    assert [one for one in made if made.count(one) > 1] == []
    values = [import_module(one.rpartition(".")[0]) for one in made]
    again = [id(getattr(module, one.rpartition(".")[2])) for module, one in zip(values, made, strict=True)]
    assert [one for one, value in zip(made, again, strict=True) if again.count(value) > 1] == []


@pytest.mark.parametrize(
    ("module", "files"), [(parameters, "parameters_*"), (result_codes, "result_codes.md")]
)
def test_what_is_made_from_the_code_is_current(module, files, tmp_path):
    module.make(tmp_path)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_text("utf-8") for path in MADE.glob(files)}


def words(text):
    """Of a help text; the wrapping and -o FILE, --output FILE depend on the version of Python."""
    return re.sub(r"(-\w) (\S+), (--[\w-]+) \2", r"\1, \3 \2", text).split()


def test_help_texts_are_current(tmp_path):
    command_options.make(tmp_path)
    made = (tmp_path / "command_options.md").read_text("utf-8")
    assert words(made) == words((MADE / "command_options.md").read_text("utf-8"))


@pytest.mark.parametrize("node", NODES)
def test_the_page_of_a_node_has_each_parameter_once(node):
    page = (PAGES / f"{node}.md").read_text("utf-8")
    assert f"```{{include}} ../generated/parameters_{node}.md" in page
    rows = re.findall(r"^\| `(\w+)` \|", (MADE / f"parameters_{node}.md").read_text("utf-8"), re.M)
    assert len(rows) == len(set(rows))
    assert set(rows) == {entry.name for entry in fields(NODES[node])}, "python -m docs.generate parameters"


def test_a_parameter_of_dynamics_node_needs_a_group(monkeypatch):
    monkeypatch.delitem(parameters.GROUPS, "Black boxes")
    with pytest.raises(SystemExit, match="GROUPS lacks black_box_loads, offsets_file, reversed_black_boxes"):
        parameters.page("dynamics_node", NODES["dynamics_node"])


@pytest.mark.parametrize("node", NODES)
def test_a_description_says_what_each_choice_means(node):
    for entry in fields(NODES[node]):
        spec = entry.metadata["spec"]
        assert [one for one in spec.choices if f"{one}: " not in spec.description] == [], entry.name


def test_each_algorithm_of_the_core_is_in_the_table_of_functions():
    core = (ROOT / "src/modular_dynamics/include/modular_dynamics/algorithms.hpp").read_text("utf-8")
    algorithms = re.findall(r"^struct (\w+) .*\{\n  static constexpr Algorithm algorithm", core, re.M)
    table = (PAGES / "cpp.md").read_text("utf-8").partition("| `A` | inputs | result |")[2]
    assert len(algorithms) > 10
    assert [one for one in algorithms if f"`{one}`" not in table] == []
