"""Limits of names and counts: where they are met, the message names them and shows little of the name."""

import numpy as np
import pytest

from helpers.robots.module_types import chain
from modular_dynamics import modular
from modular_dynamics.exceptions import ModularDynamicsError
from modular_dynamics.modular.names import LONGEST_NAME, MOST_MODULES, MOST_PARTS, is_label, is_name

LONG = "x" * (LONGEST_NAME + 1)
HUGE = "x" * 100_000


@pytest.mark.parametrize("name", ["v2", "Ä", "left-leg", "x" * LONGEST_NAME])
def test_names(name):
    assert is_name(name)
    assert list(chain(2).dock("v1", 3, name, 4, kind="scout"))[2] == name
    for wrong in ("", " ", "a b", "a/b", "\0", "\ud800", "\u200b", LONG, None, 3, b"a"):
        assert not is_name(wrong)
        assert is_label(wrong) == (wrong in ("a b", "a/b"))


LONG_NAMES = {
    "robot": lambda name: modular.Assembly(("v0", "backbone"), name=name),
    "kind": lambda name: modular.Assembly(("v0", name)),
    "module": lambda name: chain(2).dock("v1", 3, name, 4, kind="backbone"),
    "row": lambda name: modular.IncidenceMatrix([[3], [4]], ("backbone",) * 2, (name, "v1")),
    "body": lambda name: modular.read_module_type(
        f"name: a\nroot: a\nbodies: {{? {name}\n: {{mass: 1}}}}\nports: {{}}\n"
    ),
    "gait": lambda name: modular.gaits.load({"kind": name}),
}


@pytest.mark.parametrize("use", LONG_NAMES)
def test_a_text_without_an_end_is_refused_and_shortened(use):
    with pytest.raises(ModularDynamicsError) as error:
        LONG_NAMES[use](HUGE)
    assert "xxx..." in str(error.value)
    assert len(str(error.value)) < 500
    if use not in ("kind", "gait"):
        with pytest.raises(ModularDynamicsError, match="at most 100 characters"):
            LONG_NAMES[use](LONG)


def test_the_number_of_modules_is_limited_before_memory_is_needed(monkeypatch):
    count = 10 * MOST_MODULES
    names = "".join(f"  v{k}: block\n" for k in range(count))
    for use in (
        lambda: modular.IncidenceMatrix(np.broadcast_to(np.int8(0), (count, count)), ("block",)),
        lambda: modular.IncidenceMatrix.from_yaml(f"base: v0\nmodules:\n{names}docks: []\n"),
    ):
        with pytest.raises(ModularDynamicsError, match=f"has {count} modules; at most {MOST_MODULES} are"):
            use()
    monkeypatch.setattr("modular_dynamics.modular.assembly.assembly.MOST_MODULES", 2)
    with pytest.raises(ModularDynamicsError, match="has 2 modules; at most 2 are supported"):
        chain(2).dock("v1", 3, "v2", 4, kind="backbone")


def test_the_number_of_ports_is_limited():
    kind = modular.shipped_types()["block"]
    port, count = next(iter(kind.ports.values())), MOST_PARTS + 1
    ports = {f"p{k}": modular.Port(f"p{k}", k, port.body, port.x_module_port) for k in range(1, count + 1)}
    with pytest.raises(ModularDynamicsError, match=f"has {count} ports; at most {MOST_PARTS} are supported"):
        modular.ModuleType("own", kind.bodies, (), ports, kind.root)


def test_messages_list_no_more_than_twenty_names():
    aim = modular.IncidenceMatrix.from_yaml
    names = ", ".join(f"v{k}: block" for k in range(40))
    with pytest.raises(ModularDynamicsError, match=r"no dockings connect 'v0' with v1, .* v20 and 19 more$"):
        aim(f"modules: {{{names}}}\ndocks: []\n")
