"""Damaged descriptions: a graph whose torques are Pinocchio's, or an error of the library. Nothing else."""

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from robustness.descriptions.computations import Wrong, compute
from robustness.descriptions.modular_files import FILES
from robustness.descriptions.mutations import mutated
from robustness.descriptions.outcomes import FAULTS, outcome_of
from robustness.descriptions.paths import nasty_paths
from robustness.descriptions.robots import closed_loop_texts
from robustness.descriptions.yaml_mutations import mutated_yaml

URDFS = sorted(ROBOTS.glob("*.urdf"))
#: The partition file of the documentation has every key.
DOCUMENTED = (ROOT / "docs/urdf_tags.md").read_text("utf-8").split("```yaml\n")[1].split("```")[0]
PARTITIONS = {
    "vendor_arm": (ROBOTS / "vendor_arm_partition.yaml").read_text("utf-8"),
    "crane": DOCUMENTED,
}
#: Short runs; `make robustness` makes longer ones.
SEEDS = 300
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
    """Kinds of outcomes; a fault fails with its seed and what was done to the description."""
    kinds: dict[str, int] = {}
    for seed, what, outcome in outcomes:
        assert outcome.kind not in FAULTS, f"seed {seed}, {what}: {outcome}"
        kinds[outcome.kind] = kinds.get(outcome.kind, 0) + 1
    return kinds


def test_damaged_urdfs():
    def outcomes():
        for seed in range(SEEDS):
            text, what = mutated(URDFS[seed % len(URDFS)].read_text("utf-8"), seed)
            floating = seed % 5 == 0
            yield seed, what, outcome_of(lambda: md.load_urdf(text, floating_base=floating), seed)  # noqa: B023

    kinds = counted(outcomes())
    assert kinds["right"] > SEEDS // 20
    assert kinds["refused"] > SEEDS // 20


def test_damaged_partition_files(tmp_path):
    file = tmp_path / "partition.yaml"

    def outcomes():
        for seed in range(SEEDS):
            robot, base = list(PARTITIONS.items())[seed % len(PARTITIONS)]
            text, what = mutated_yaml(base, seed)
            file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
            yield seed, what, outcome_of(lambda: md.load_urdf(ROBOTS / f"{robot}.urdf", file), seed)  # noqa: B023

    kinds = counted(outcomes())
    assert kinds["right"] > SEEDS // 50
    assert kinds["refused"] > SEEDS // 20


def test_damaged_robots_with_closed_loops():
    robots = closed_loop_texts()

    def outcomes():
        for seed in range(SEEDS // 3):
            text, what = mutated(robots[seed % len(robots)], seed)
            yield seed, what, outcome_of(lambda: md.load_urdf(text), seed)  # noqa: B023

    kinds = counted(outcomes())
    assert kinds["right"] > 0
    assert kinds["refused"] > SEEDS // 20


@pytest.mark.parametrize("kind", FILES)
def test_damaged_files_of_modular_robots(kind, tmp_path):
    file, damaged = tmp_path / "file", FILES[kind]

    def outcomes():
        for seed in range(SEEDS // 3):
            text, what = mutated_yaml(damaged.texts[seed % len(damaged.texts)], seed)
            file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
            yield seed, what, outcome_of(lambda: damaged.read(file), seed, use=damaged.use)

    kinds = counted(outcomes())
    assert kinds["right"] > 0
    assert kinds["refused"] > SEEDS // 20


def test_damaged_xacro_files():
    def outcomes():
        for seed in range(SEEDS // 10):
            text, what = mutated(XACRO, seed)
            yield seed, what, outcome_of(lambda: md.load_urdf(text, mappings={"n": "1"}), seed)  # noqa: B023

    assert counted(outcomes())["refused"] > 0


def test_paths_at_which_there_is_no_description(tmp_path):
    for path in nasty_paths(tmp_path):
        for load in (md.load_urdf, md.load_mjcf, lambda path: md.load_urdf(ROBOTS / "crane.urdf", path)):
            assert outcome_of(lambda: load(path), 1).kind == "refused", ascii(path)  # noqa: B023


@pytest.mark.parametrize("seed", [0, 7, 123])
def test_the_same_seed_gives_the_same_damage(seed):
    text = URDFS[0].read_text("utf-8")
    assert mutated(text, seed) == mutated(text, seed)
    assert mutated_yaml(DOCUMENTED, seed) == mutated_yaml(DOCUMENTED, seed)


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
