"""Aliases make few lines of YAML much data; merged keys do so while it is read."""

import pytest

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.modular import IncidenceMatrix, gaits, read_module_type

READERS = [gaits.load, read_module_type, IncidenceMatrix.from_yaml]


def bomb(join):
    """Nine levels, each with ten times the one before."""
    levels = ["x0: &x0 {a: 1}"]
    levels += [f"x{k}: &x{k} {join([f'*x{k - 1}'] * 10)}" for k in range(1, 10)]
    return "\n".join(levels) + "\nkind: *x9\n"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "join", [lambda names: f"[{', '.join(names)}]", lambda names: f"{{<<: [{', '.join(names)}]}}"]
)
def test_more_values_than_there_is_memory_for(read, join):
    with pytest.raises(
        DescriptionError, match=r"with its aliases \(\*\), this YAML has \d+ values; at most 100000"
    ):
        read(bomb(join))


@pytest.mark.parametrize("read", READERS)
def test_an_alias_that_contains_itself(read):
    with pytest.raises(DescriptionError, match=r"line 1: an alias \(\*\) stands in what it stands for"):
        read("kind: &all [*all]\nname: *all\n")


@pytest.mark.parametrize(
    "text", ["a: [" * 5000 + "\n", "kind: !!bool x\n", "kind: !!int ''\n", "? [1]\n: 2\n"]
)
def test_what_pyyaml_cannot_read_is_an_error_of_a_gait(text):
    with pytest.raises(DescriptionError, match=r"nested too deeply|not YAML"):
        gaits.load(text)
