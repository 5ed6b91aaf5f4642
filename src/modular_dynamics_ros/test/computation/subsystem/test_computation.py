"""Torques of all subsystems, each computed from its own part alone, against Pinocchio and the whole graph."""

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.part_by_part import PartByPart
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.subsystem.part import subsystem_part
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage, RobotError

pytestmark = pytest.mark.ros
MERGED_CRANE = """version: 1
subsystems:
  - {name: column, joints: [slew]}
  - name: boom
    joints: [boom_hinge, lift_tube_hinge, lift_cylinder, jib_hinge, jib_tube_hinge, jib_cylinder]
"""


def by_name(names, values):
    return dict(zip(names, values.tolist(), strict=True))


@examples(60)
@given(st.data())
def test_random_trees_in_random_subsystems_have_pinocchios_torques(tmp_path_factory, data):
    tree = data.draw(random_trees(largest=20))
    path = tmp_path_factory.mktemp("partition") / "partition.yaml"
    path.write_text(yaml.safe_dump(data.draw(partitions(tree))))
    graph = md.load_urdf(tree.urdf, path)
    owner = {joint.name: one.name for one in graph.subsystems for joint in one.joints}
    mimics = [joint for joint in graph.joints if joint.mimic is not None]
    if "float" in owner or any(owner[joint.name] != owner[joint.mimic.joint] for joint in mimics):
        with pytest.raises(RobotError, match=r"floating|mimics '.*' of another subsystem"):
            PartByPart(tree.urdf, str(path))
        return
    q, v, a = tree.state(graph)
    oracle = PinocchioTree(graph)
    expected = oracle.inverse_dynamics(q, v, a)
    parts = PartByPart(tree.urdf, str(path))
    torques = parts.torques(*(by_name(graph.joint_names, values) for values in (q, v, a)))
    largest = max(1.0, np.abs(expected).max())
    assert [torques[name] for name in graph.joint_names] == pytest.approx(expected, abs=1e-11 * largest)


@pytest.mark.parametrize(
    ("robot", "partition"),
    [("charmie", ""), ("branched_38dof", ""), ("vendor_arm", str(ROBOTS / "vendor_arm_partition.yaml"))],
)
def test_robots_have_the_torques_of_the_whole(robot, partition):
    parts, rng = PartByPart(str(ROBOTS / f"{robot}.urdf"), partition), np.random.default_rng(3)
    names = parts.graph.joint_names
    for _ in range(3):
        q, v, a = (rng.normal(size=len(names)) for _ in range(3))
        torques = parts.torques(*(by_name(names, values) for values in (q, v, a)))
        expected = PinocchioTree(parts.graph).inverse_dynamics(q, v, a)
        assert [torques[name] for name in names] == pytest.approx(expected, abs=1e-9)


def test_wrenches_at_connection_points_are_those_of_the_whole():
    parts, rng = PartByPart(str(ROBOTS / "branched_38dof.urdf")), np.random.default_rng(4)
    names = parts.graph.joint_names
    q, v, a = (rng.normal(size=38) for _ in range(3))
    parts.torques(*(by_name(names, values) for values in (q, v, a)))
    expected = md.InverseDynamics(parts.graph).solve(q, v, a).connection_wrenches
    for one, wrench in zip(parts.graph.subsystems, expected, strict=True):
        x = one.connection.x_link_connection
        moved = md.algebra.adjoint(x, md.DualQuaternion.pure(wrench[:3], wrench[3:]))
        assert parts.wrenches[one.name] == pytest.approx(moved.vec6(), abs=1e-9)


@pytest.mark.parametrize(("robot", "partition"), [("charmie_torso", ""), ("crane", MERGED_CRANE)])
def test_loops_within_one_subsystem_are_closed_there(robot, partition, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text(partition)
    parts = PartByPart(str(ROBOTS / f"{robot}.urdf"), str(path) if partition else "")
    names, rng = parts.graph.independent_joint_names, np.random.default_rng(5)
    assert any(part.robot.closed for part in parts.parts.values())
    start = md.assemble(parts.graph).coordinates
    at = [float(start[parts.graph.q_slice(name)][0]) for name in names]
    for _ in range(3):
        q, v, a = (
            at + rng.uniform(-0.02, 0.02, len(names)),
            rng.normal(size=len(names)),
            rng.normal(size=len(names)),
        )
        torques = parts.torques(*(by_name(names, values) for values in (q, v, a)))
        expected = md.inverse_dynamics(parts.graph, q, v, a, guess=start)
        assert [torques[name] for name in names] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("friction", ["none", "urdf"])
def test_friction_is_that_of_the_whole(friction):
    settings = ComputationSettings(friction=friction)
    parts = PartByPart(str(ROBOTS / "vendor_arm.urdf"), str(ROBOTS / "vendor_arm_partition.yaml"), settings)
    robot = load_robot(str(ROBOTS / "vendor_arm.urdf"))
    whole, rng = Computation(robot, settings), np.random.default_rng(6)
    q, v = rng.normal(size=(2, len(robot.state_names)))
    expected = by_name(robot.state_names, whole.compute(whole.observe(1, q, v), 1).effort)
    rest = np.zeros(len(q))
    torques = parts.torques(*(by_name(robot.state_names, values) for values in (q, v, rest)))
    assert torques == pytest.approx(expected, abs=1e-9)


def test_a_wrench_may_come_in_the_frame_of_the_point_or_of_a_fixed_link():
    parts = PartByPart(str(ROBOTS / "charmie.urdf"))
    torso, rng = parts.parts["torso"], np.random.default_rng(7)
    wrench, (one, *_) = rng.normal(size=6), torso.part.successors
    at_link = torso.at_link(one.subsystem, one.link, wrench)
    assert at_link == pytest.approx(wrench)
    zeta = md.DualQuaternion.pure(wrench[:3], wrench[3:])
    of_point = torso.at_link(one.subsystem, f"{one.subsystem}/connection_point", wrench)
    assert of_point == pytest.approx(md.algebra.adjoint(one.x_link_connection, zeta).vec6())
    with pytest.raises(BadMessage, match="it must be that of its connection point, or of a link"):
        torso.at_link(one.subsystem, "elsewhere", wrench)


def test_closed_loops_and_a_black_box_in_different_subsystems(tmp_path):
    """dynamics_node refuses this robot; one process per subsystem does not."""
    mount = "<joint name='mount' type='fixed'><parent link='jib'/><child link='tool'/></joint>"
    crane = (ROBOTS / "crane.urdf").read_text()
    urdf = crane.replace("</robot>", f"<link name='tool'/>{mount}</robot>")
    without, with_box = tmp_path / "without.yaml", tmp_path / "with_box.yaml"
    without.write_text(MERGED_CRANE)
    with_box.write_text(f"{MERGED_CRANE}  - {{name: tool, root_link: tool, black_box: true}}\n")
    with pytest.raises(RobotError, match="closed loops of 'crane' are not solved: its black boxes are tool"):
        Computation(load_robot(urdf, str(with_box)), ComputationSettings())
    parts, graph = PartByPart(urdf, str(with_box)), md.load_urdf(urdf, without)
    names, rng, wrench = graph.independent_joint_names, np.random.default_rng(8), np.arange(10.0, 70.0, 10.0)
    start = md.assemble(graph).coordinates
    q = np.array([float(start[graph.q_slice(name)][0]) for name in names])
    v, a = rng.normal(size=(2, len(names)))
    torques = parts.torques(*(by_name(names, values) for values in (q, v, a)), given={"tool": wrench})
    expected = md.inverse_dynamics(graph, q, v, a, guess=start, external_wrenches={"tool": -wrench})
    assert [torques[name] for name in names] == pytest.approx(expected, abs=1e-7)
    unloaded = md.inverse_dynamics(graph, q, v, a, guess=start)
    assert np.abs(expected - unloaded).max() > 1.0


def test_a_black_box_and_what_it_carries(chain):
    """The wrench of the box comes from elsewhere; what is beyond it needs only the motion that it says."""
    urdf = chain("b")
    robot = load_robot(urdf)
    with pytest.raises(RobotError, match="the subsystem 'box' of 'chain' is a black box"):
        subsystem_part(robot, "box")
    tip, stem = subsystem_part(robot, "tip"), subsystem_part(robot, "s1")
    assert (tip.predecessor, [one.subsystem for one in stem.successors]) == ("box", ["box"])
    assert stem.other_joints == {"j2", "j3"}
