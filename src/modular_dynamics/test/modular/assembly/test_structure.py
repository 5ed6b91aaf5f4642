"""Dockings and releases at random give what would be built anew; bad input is an error that names it."""

import copy
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from helpers.random_examples.assemblies import docked_at_random, meeting_ports, random_assembly
from helpers.random_examples.examples import some
from helpers.rebuilt import assert_same_to_the_bit, rebuilt
from helpers.robots.module_types import arm, chain, own_types, port, telescope
from modular_dynamics import JointType, modular
from modular_dynamics.exceptions import AssemblyError, ModelError, ModularDynamicsError, UnknownNameError
from modular_dynamics.modular import Mount


def changed(assembly, rng, largest=30):
    """After one docking, release, ring or change of the base at random."""
    choice = rng.choice(["dock", "ring", "open", "base", "undock"], p=[0.5, 0.1, 0.05, 0.05, 0.3])
    if choice == "dock" and len(assembly) < largest:
        return docked_at_random(assembly, rng) or assembly
    if choice == "ring" and len(assembly.rings) < 2:
        for ring in meeting_ports(assembly)[:1]:
            return assembly.dock(*ring[:4], turn=ring[4])
    if choice == "base":
        return assembly.with_base(str(rng.choice([*assembly])))
    if choice == "open" and assembly.rings:
        return assembly.undock(*assembly.rings[-1][2:4])
    if choice == "undock" and len(assembly) > 1:
        return assembly.undock(str(rng.choice([*assembly][1:])))
    return assembly


@pytest.mark.parametrize("seed", some(range(20)))
def test_after_any_changes_it_is_the_assembly_built_anew(seed):
    rng, assembly = np.random.default_rng(seed), random_assembly(seed)
    for _ in range(30):
        assembly = changed(assembly, rng)
        assert [*assembly] == [assembly.base, *(docking.module for docking in assembly.dockings)]
    fresh = rebuilt(assembly)
    assert fresh == assembly
    assert str(fresh) == str(assembly)
    assert_same_to_the_bit(assembly.graph(), fresh.graph())


# Bad input to every method of an assembly: an error that names modules and faces, and nothing else.

JUNK = (
    *(None, True, -1, 0, 7, 2.0, float("nan"), "", " ", "a/b", "a b", "\0", "\ud800", b"v0"),
    *((), [], ["v0"], {}, {"v0": None}, {"a": [["v0"]]}, {3: ["v0", "v1", "v2"]}),
    *(np.zeros(2), np.array(["v0", "v1"]), object(), len),
)


def snake():
    """v0 - v1 - v2 along x, and a Scout on the side of v1."""
    return chain(3, types=own_types()).dock("v1", 2, "s", 5, kind="scout", turn=1)


def joint(name="x"):
    return modular.virtual_joint(name, "prismatic", [1, 0, 0])


REFUSED = (
    (lambda a: a.dock("v0", 3, "n", 4, kind="block"), "port 3 of module 'v0' is used: port 4 of module 'v1'"),
    (lambda a: a.dock("v0", 4, "v2", 4), "port 4 of module 'v2' is used: port 3 of module 'v1'"),
    (lambda a: a.dock("v0", 4, "v0", 5), "'v0' cannot dock at itself, port 4 at its port 5"),
    (lambda a: a.dock("v0", 4, "n", 3), "no module 'n' in the assembly; a new one needs its kind"),
    (lambda a: a.dock("v0", 4, "v2", 3, kind="block"), "module 'v2' is in the assembly already"),
    (lambda a: a.dock("v0", 4, "n", 3, kind="block", turn=4), "the turn of port 3 of module 'n' .* is 4"),
    (lambda a: a.dock("v0", 4, "n", 3, kind="block", turn=1.0), "1.0; needed are 0, 1, 2 or 3"),
    (lambda a: a.undock("v0"), "module 'v0' is the base"),
    (lambda a: a.undock("v2", 3), "nothing is docked at port 3 of module 'v2'"),
    (lambda a: a.merge(a, "v2", 3, "v0", 4), "have a module 'v0'; give the second one a prefix"),
    (lambda a: a.graph(gravity=[0, 0, np.nan]), "gravity is .*three finite numbers"),
)
UNKNOWN = (
    (lambda a: a.dock("w", 3, "n", 4, kind="block"), "no module 'w'; the assembly's modules: v0, v1"),
    (lambda a: a.dock("v0", 4, "n", 3, kind="wheel"), "unknown kind 'wheel' of module 'n'; known: "),
    (lambda a: a.dock("v0", 1, "n", 4, kind="block"), "port 1 of .*; the ports of a backbone: 2, 3, 4, 5"),
    (lambda a: a.undock("v1", "x"), "port 'x' of module 'v1' cannot dock"),
    (lambda a: a.merge(a, "v2", 3, "w", 4, prefix="b_"), "no module 'w'"),
)


@pytest.mark.parametrize(
    ("error", "change", "message"),
    [*((AssemblyError, *row) for row in REFUSED), *((UnknownNameError, *row) for row in UNKNOWN)],
)
def test_what_cannot_be_is_named_with_the_choices(error, change, message):
    with pytest.raises(error, match=message):
        change(snake())


def test_a_cell_that_is_filled_in_the_plane_or_in_space_is_named_with_modules_and_faces():
    for turn in (0, 1):  # in the plane; upright: faces 2 and 5 of a point up and down
        corner = (
            modular.Assembly(("v0", "block"))
            .dock("v0", 3, "a", 4, kind="block", turn=turn)
            .dock("a", 2, "b", 5, kind="block")
            .dock("b", 4, "c", 3, kind="block")
        )
        with pytest.raises(AssemblyError) as error:
            corner.dock("c", 5, "d", 2, kind="backbone")
        for part in ("port 2 of module 'd'", "port 5 of module 'c'", "cell (0, 0, 0)", "module 'v0' fills"):
            assert part in str(error.value)


def test_ports_that_do_not_fit_and_another_type_of_a_known_name_are_named():
    ends = "port 4 of module 'v0' and port a of module 'n'"
    for changed, message in (
        ({"gender": "m"}, "their genders are h and m"),
        ({"kind": "other"}, "their kinds are 'dock' and 'other'"),
    ):
        own = replace(port("a", 1, "body", (0, 0, 0), (0, 0, 1), (1, 0, 0)), **changed)
        kind = modular.ModuleType("own", {"body": modular.ModuleBody("body", 1.0)}, (), {"a": own}, "body")
        with pytest.raises(AssemblyError, match=f"{ends} do not fit: {message}"):
            snake().dock("v0", 4, "n", "a", kind=kind)
    other = modular.ModuleType("telescope", arm().bodies, arm().joints, arm().ports, "fore")
    with pytest.raises(AssemblyError, match="knows another kind 'telescope' than that of module 'n'"):
        snake().dock("v0", 4, "n", "shoulder", kind=other)
    assert snake().dock("v0", 4, "n", "back", kind=telescope()).kinds["n"] == telescope()


@pytest.mark.parametrize(
    "mount",
    [
        "flying",
        [joint(), joint()],
        [joint("cube")],
        [joint(), None],
        joint(),
        Mount(True, (joint(),)),
        [modular.ModuleJoint("x", JointType.REVOLUTE, "entry", "x", None)],
        [modular.ModuleJoint("n" * 101, JointType.REVOLUTE, "entry", "x", np.array([1.0, 0, 0]))],
    ],
)
def test_mounts_that_are_none_are_refused(mount):
    for use in (
        lambda: modular.Assembly(("v0", "backbone"), mount=mount),
        lambda: snake().with_base("v1", mount),
    ):
        with pytest.raises(ModelError, match=r"mount|virtual joint") as error:
            use()
        assert len(str(error.value)) < 1000


def is_refused(call):
    """Whether it raises an error of the library; any other error is the test's."""
    try:
        call()
    except ModularDynamicsError as error:
        return len(str(error)) > 20
    return False


@pytest.mark.parametrize("value", JUNK, ids=[repr(value)[:20] for value in JUNK])
def test_nothing_but_errors_of_the_library_escapes(value):
    a, other = snake(), modular.Assembly(("n", "backbone"))
    ends = {"module": "v0", "port": 4}
    right = (
        (modular.Assembly, {"base": ("n", "backbone"), "mount": "fixed", "types": {}, "name": "r"}),
        (a.dock, {**ends, "other": "n", "other_port": 3, "kind": "backbone", "turn": 0}),
        *((use, {"module": "v2", "port": 4}) for use in (a.undock, a.docked_at)),
        (a.merge, {"other": other, **ends, "other_module": "n", "other_port": 3, "turn": 0, "prefix": ""}),
        (a.with_base, {"module": "v1", "mount": "fixed"}),
        (a.graph, {"gravity": [0.0, 0.0, 0.0], "guess": None}),
        (modular.virtual_joint, {"name": "x", "kind": "prismatic", "axis": [1, 0, 0], "limits": None}),
    )
    calls = [partial(use, **{**given, name: value}) for use, given in right for name in given]
    calls += [partial(modular.Assembly, base) for base in ((value, "backbone"), ("v0", value))]
    calls += [partial(modular.Assembly, ("v0", "backbone"), mount=[value])]
    calls += [partial(modular.Assembly, ("v0", "backbone"), types={"own": value})]
    calls += [partial(modular.virtual_joint, "x", "prismatic", [1, 0, 0], damping=value)]
    for use, given in right:
        use(**given)
    assert sum(map(is_refused, calls)) > len(calls) // 2
    assert value not in a


def test_copies_and_pickles_are_equal_and_go_on():
    for assembly in (
        snake(),
        snake().dock("v0", 4, "v2", 3),
        modular.Assembly(("v0", "arm"), types=own_types(), mount=[joint()]),
    ):
        for twin in (copy.copy(assembly), copy.deepcopy(assembly), pickle.loads(pickle.dumps(assembly))):
            assert twin == assembly
            assert hash(twin) == hash(assembly)
            assert str(twin) == str(assembly)
            assert twin.to_urdf() == assembly.to_urdf()
            module, free = next((m, p) for m in twin for p in twin.kinds[m].ports if not twin.docked_at(m, p))
            longer = twin.dock(module, free, "n", 3, kind=assembly.types["block"])
            assert longer != twin == assembly == longer.undock("n")
