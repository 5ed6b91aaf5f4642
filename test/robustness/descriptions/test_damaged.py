"""Damaged descriptions: right numbers or the library's own errors, in time; the judge notices the rest."""

import os
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from helpers.random_examples.assemblies import random_assembly
from helpers.robots import parallel_mechanisms, planar_mechanisms, spatial_mechanisms
from helpers.robots.paper_organism import organism
from helpers.robots.small_torso import small_torso_text
from modular_dynamics import modular
from modular_dynamics.modular import Assembly, IncidenceMatrix, gaits, read_module_type
from robustness.descriptions.computations import Wrong, compute
from robustness.descriptions.damage import as_bytes, damaged_urdf, damaged_yaml
from robustness.descriptions.damaged import DOCUMENTED, URDFS, read
from robustness.descriptions.outcomes import FAULTS, outcome_of

#: Short runs; `make robustness` makes longer ones.
SEEDS = 300
MOST_BODIES = 60  # of an assembly that is compared with Pinocchio
XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="n" default="1"/> <xacro:property name="m" value="${2 * 3.5}"/> <link name="base"/>
  <xacro:macro name="link" params="name parent">
    <link name="${name}"><inertial><origin xyz="0 0 0.1"/><mass value="${m}"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="to_${name}" type="continuous"><parent link="${parent}"/><child link="${name}"/></joint>
  </xacro:macro>
  <xacro:link name="one" parent="base"/>
  <xacro:if value="$(arg n)"><xacro:link name="two" parent="one"/></xacro:if>
</robot>"""


def counted(outcomes):
    """How many are right, and refused; a fault fails with its seed and what was done to the description."""
    kinds = {"right": 0, "refused": 0}
    for seed, (what, outcome) in enumerate(outcomes):
        assert outcome.kind not in FAULTS, f"seed {seed}, {what}: {outcome}"
        kinds[outcome.kind] += 1
    return kinds["right"], kinds["refused"]


@pytest.mark.parametrize(("kind", "least"), [("urdf", SEEDS // 20), ("yaml", SEEDS // 50)])
def test_damaged_urdfs_and_partition_files(kind, least, tmp_path):
    right, refused = counted(read(kind, seed, tmp_path / "file", compared=False) for seed in range(SEEDS))
    assert right > least
    assert refused > SEEDS // 20


def damaged_texts(texts, count, damage, load, use=compute):
    """What was done to texts in turn, and what became of them."""
    for seed in range(count):
        text, what = damage(texts[seed % len(texts)], seed)
        yield what, outcome_of(lambda: load(text), seed, use=use)  # noqa: B023


def closed_loop_texts():
    """Four-bars, cranks, rods, legs and tables: with loop joints, gears and passive joints."""
    graphs = [make().graph() for make in planar_mechanisms.MECHANISMS.values()]
    graphs += [getattr(spatial_mechanisms, name)() for name in ("spinning_rod", "cut_rod", "platform")]
    built = [getattr(parallel_mechanisms, name)().urdf() for name in ("ankle", "delta", "bricard", "sarrus")]
    return [*(graph.urdf for graph in graphs), *built, small_torso_text()]


def test_damaged_robots_with_closed_loops():
    right, refused = counted(damaged_texts(closed_loop_texts(), SEEDS // 3, damaged_urdf, md.load_urdf))
    assert right > 0
    assert refused > SEEDS // 20


def test_damaged_xacro_files():
    def load(text):
        return md.load_urdf(text, mappings={"n": "1"})

    assert counted(damaged_texts([XACRO], SEEDS // 10, damaged_urdf, load))[1] > 0


def use_module_type(kind, seed):
    return compute(Assembly(("v0", kind.name), types={kind.name: kind}).graph(), seed)


def use_matrix(aim, seed):
    if IncidenceMatrix.from_yaml(aim.to_yaml()) != aim:
        raise Wrong(f"another matrix after writing and reading: {aim}")
    try:
        graph = Assembly.from_incidence_matrix(aim).graph()
    except md.ModularDynamicsError:  # kinds and faces that no module has
        return "no assembly"
    return compute(graph, seed) if len(graph.bodies) <= MOST_BODIES else "large"


def use_gait(gait, seed):
    for values in gait.states([0.0, 0.3, 1.0]):
        if not np.isfinite(values).all():
            raise Wrong(f"gait: {values}")
    return "gait"


def texts_of(folder):
    return [path.read_text("utf-8") for path in sorted(folder.glob("*.yaml"))]


FILES = {
    "module type": (
        texts_of(Path(modular.__file__).parent / "modules/shipped"),
        read_module_type,
        use_module_type,
    ),
    "matrix": (
        [one.incidence_matrix().to_yaml() for one in (organism(), random_assembly(1), random_assembly(2))],
        *(IncidenceMatrix.from_yaml, use_matrix),
    ),
    "gait": (texts_of(ROOT / "config/gaits"), gaits.load, use_gait),
}


@pytest.mark.parametrize("kind", FILES)
def test_damaged_files_of_modular_robots(kind, tmp_path):
    texts, read_file, use = FILES[kind]

    def load(text):
        (tmp_path / "file").write_bytes(as_bytes(text))
        return read_file(tmp_path / "file")

    right, refused = counted(damaged_texts(texts, SEEDS // 3, damaged_yaml, load, use))
    assert right > 0
    assert refused > SEEDS // 20


def nasty_paths(folder):
    """Paths at which there is no description, of which some are made in ``folder``."""
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(bytes(range(256)) * 10)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "broken").symlink_to(folder / "missing")
    os.mkfifo(folder / "pipe")
    made = ("empty", "binary", "folder", "loop", "broken", "pipe", "missing", "empty/below", "a" * 300)
    devices = ("/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "/proc/self/environ", "/dev/stdin")
    no_paths = ("", " ", ".", "/", "~", "~no_such_user/x", "~\0", "a\0b", "\ud800", "\udcff", "\n")
    return [*(str(folder / name) for name in made), *devices, *no_paths, "a" * 5000]


def test_paths_at_which_there_is_no_description(tmp_path):
    for path in nasty_paths(tmp_path):
        for load in (md.load_urdf, md.load_mjcf, lambda path: md.load_urdf(ROBOTS / "crane.urdf", path)):
            assert outcome_of(lambda: load(path), 1).kind == "refused", ascii(path)  # noqa: B023


@pytest.mark.parametrize("seed", [0, 7, 123])
def test_the_same_seed_gives_the_same_damage(seed):
    text = URDFS[0].read_text("utf-8")
    assert damaged_urdf(text, seed) == damaged_urdf(text, seed)
    assert damaged_yaml(DOCUMENTED, seed) == damaged_yaml(DOCUMENTED, seed)


@pytest.mark.parametrize(
    ("before", "after"), [('mass value="0.5"', 'mass value="0.500001"'), ("0 0.1 0", "0 0.100001 0")]
)
def test_a_description_that_was_misread_is_noticed(before, after):
    """Pinocchio's model of the text, not of the graph that was made of it."""
    text = (ROBOTS / "four_link.urdf").read_text("utf-8")
    assert before in text
    graph = md.load_urdf(text.replace(before, after))
    assert compute(md.load_urdf(text), 1, text)
    with pytest.raises(Wrong, match="which has read the text itself"):
        compute(graph, 1, text)


def test_damage_that_is_not_refused_is_noticed():
    """The judge itself: another library's error, and what is too slow, are faults."""
    assert outcome_of(lambda: int("x"), 1).kind == "raw"
    assert outcome_of(lambda: md.load_urdf(URDFS[0]), 1, limit=1e-9).kind == "slow"
    assert outcome_of(lambda: md.load_urdf("no_such_file"), 1).kind == "refused"
