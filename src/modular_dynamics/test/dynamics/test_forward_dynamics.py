"""Forward dynamics against Pinocchio, against the equation that it solves, and itself in batches."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.oracles.mujoco_saddle_point import MujocoSaddlePoint
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.trees import random_trees
from helpers.robots.mjcf_text import random_tree
from helpers.tree_dynamics import ROBOT_NAMES, random_state, random_states
from modular_dynamics.exceptions import StateError
from modular_dynamics.mjcf.source import compiled


# floating, the others' massless root links could accelerate at will
@pytest.mark.parametrize(
    ("name", "floating_base"), [*((name, False) for name in ROBOT_NAMES), ("vendor_arm", True)]
)
def test_robots_there_and_back(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    q, v, a = random_state(graph, 1)
    tau = md.inverse_dynamics(graph, q, v, a)
    result = md.forward_dynamics(graph, q, v, tau)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    assert np.abs(result - a).max() <= max(1e-10, 1e-15 * condition) * np.abs(a).max()


@pytest.mark.parametrize("robot", ["four_link", "charmie"])
@pytest.mark.parametrize("turns", [1, 10**3, 10**6, 10**9])
def test_forward_dynamics_at_large_angles(load_robot, robot, turns):
    """Against the equation of motion, whose matrices see the same large angles."""
    graph = load_robot(robot)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, graph.nv))
    turning = [graph.v_slice(n).start for n in graph.joint_names if graph.joint(n).type.value != "prismatic"]
    q[turning] += 2.0 * np.pi * turns
    M, h = md.mass_matrix(graph, q), md.nonlinear_effects(graph, q, v)
    expected = np.linalg.solve(M, tau - h)
    scale = 1e-15 * np.linalg.cond(M) * np.abs(expected).max()
    assert np.abs(md.forward_dynamics(graph, q, v, tau) - expected).max() <= 100.0 * scale
    result = md.forward_dynamics(graph, *(np.tile(x, (9, 1)) for x in (q, v, tau)))
    assert np.abs(result - expected).max() <= 100.0 * scale


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["vendor_arm", "four_link"])  # with and without mimic joints
def test_accelerations_that_overflow_are_refused(load_robot, name):
    graph = load_robot(name)
    q, v, tau = (np.zeros((20, graph.nv)) for _ in range(3))
    tau[7] = 1.7e308
    with pytest.raises(md.StateError, match="so large that the accelerations"):
        md.forward_dynamics(graph, q[7], v[7], tau[7])
    with pytest.raises(md.StateError, match=r"row 7: .*so large that the accelerations"):
        md.forward_dynamics(graph, q, v, tau)


# Hybrid dynamics against both of the problems that it mixes, Pinocchio, and itself in batches.


def some_joints(graph, seed):
    """About half of the joints."""
    chosen = np.random.default_rng(seed).random(len(graph.joint_names)) < 0.5
    return [name for name, is_chosen in zip(graph.joint_names, chosen, strict=True) if is_chosen]


def mask(graph, names):
    is_known = np.zeros(graph.nv, bool)
    for name in names:
        is_known[graph.v_slice(name)] = True
    return is_known


def by_pinocchio(graph, q, v, a, tau, prescribed):
    """[M -E^T; E 0] [a; tau_p] = [tau_f - h; a_p] from Pinocchio's M and h; E selects p."""
    pin, nv, known = PinocchioTree(graph), graph.nv, mask(graph, prescribed)
    M, h = pin.mass_matrix(q), pin.inverse_dynamics(q, v, np.zeros(nv))
    E, count = np.eye(nv)[known], int(known.sum())
    saddle = np.block([[M, -E.T], [E, np.zeros((count, count))]])
    solution = np.linalg.solve(saddle, np.concatenate([np.where(known, 0.0, tau) - h, a[known]]))
    torques = tau.copy()
    torques[known] = solution[nv:]
    return solution[:nv], torques


@examples(60)
@given(tree=random_trees(largest=15))
def test_random_trees_against_a_saddle_point_system_of_pinocchio(tree):
    """What is known is returned as it was given, and what is not read may be NaN."""
    graph = md.load_urdf(tree.urdf)
    q, v, a = tree.state(graph)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    if condition > 1e8 or any(joint.mimic for joint in graph.joints):
        return
    tau, prescribed = np.random.default_rng(tree.seed).normal(size=graph.nv), some_joints(graph, tree.seed)
    known = mask(graph, prescribed)
    read = np.where(known, a, np.nan), np.where(known, np.nan, tau)
    result = md.hybrid_dynamics(graph, q, v, *read, prescribed)
    accelerations, torques = by_pinocchio(graph, q, v, a, tau, prescribed)
    tolerance = max(1e-10, 1e-14 * condition)
    assert np.abs(result.a - accelerations).max() <= tolerance * np.abs(accelerations).max()
    assert np.abs(result.tau - torques).max() <= tolerance * np.abs(torques).max()
    assert (result.a[known] == a[known]).all()
    assert (result.tau[~known] == tau[~known]).all()


def test_all_joints_prescribed_is_inverse_dynamics_and_none_is_forward_dynamics(tree_robot):
    graph = tree_robot
    q, v, a = random_state(graph, 5)
    nothing = np.full(graph.nv, np.nan)
    inverse = md.hybrid_dynamics(graph, q, v, a, nothing, graph.joint_names)
    tau = md.inverse_dynamics(graph, q, v, a)
    np.testing.assert_allclose(inverse.tau, tau, rtol=1e-13, atol=1e-13 * np.abs(tau).max())
    try:
        expected = md.forward_dynamics(graph, q, v, a)
    except StateError:
        with pytest.raises(StateError, match=r"moves? no inertia"):
            md.hybrid_dynamics(graph, q, v, nothing, a, [])
        return
    assert (md.hybrid_dynamics(graph, q, v, nothing, a, []).a == expected).all()


def test_external_wrenches_count(load_robot):
    """Without prescribed joints, too: that is forward dynamics."""
    graph = load_robot("branched_38dof")
    q, v, a = random_state(graph, 3)
    external = {graph.bodies[-1].name: np.arange(6.0)}
    tau = md.inverse_dynamics(graph, q, v, a, external_wrenches=external)
    rows = [[x] for x in (q, v, a, tau)]
    for prescribed in ([], some_joints(graph, 3)):
        result = md.hybrid_dynamics(graph, q, v, a, tau, prescribed, external_wrenches=external)
        assert result.a == pytest.approx(a, abs=1e-9)
        assert result.tau == pytest.approx(tau, abs=1e-9)
        without = md.hybrid_dynamics(graph, q, v, a, tau, prescribed)
        assert np.abs([without.a - a, without.tau - tau]).max() > 0.1
        batch = md.hybrid_dynamics(graph, *rows, prescribed, external_wrenches=external)
        assert batch.a[0] == pytest.approx(a, abs=1e-9)


@pytest.mark.parametrize("name", ["branched_38dof", "vendor_arm"])
@pytest.mark.parametrize("count", [0, 1, 8, 3100])
def test_batch_equals_single_calls(load_robot, name, count):
    graph = load_robot(name)
    q, v, a = random_states(graph, count, 4)
    tau = np.random.default_rng(4).normal(size=(count, graph.nv))
    for prescribed in ([], some_joints(graph, 0), graph.joint_names):
        batch = md.hybrid_dynamics(graph, q, v, a, tau, prescribed, threads=2)
        assert batch.a.shape == batch.tau.shape == (count, graph.nv)
        for row in {0, count // 2, count - 1} if count else ():
            single = md.hybrid_dynamics(graph, q[row], v[row], a[row], tau[row], prescribed)
            scale = max(1.0, 1e-4 * np.linalg.cond(md.mass_matrix(graph, q[row])))
            for ours, theirs in ((batch.a[row], single.a), (batch.tau[row], single.tau)):
                assert np.abs(ours - theirs).max() <= 1e-12 * scale * np.abs(theirs).max()


def test_errors_name_what_is_wrong(load_robot):
    graph = load_robot("branched_38dof")
    q, v, a = random_state(graph)
    first, second = graph.joint_names[:2]
    with pytest.raises(StateError, match="prescribed joint 'elbw' is none of"):
        md.hybrid_dynamics(graph, q, v, a, a, ["elbw"])
    bad = a.copy()
    bad[0] = np.nan
    with pytest.raises(StateError, match=rf"a\[0\] of joint '{first}' is nan"):
        md.hybrid_dynamics(graph, q, v, bad, a, [first])
    with pytest.raises(StateError, match=rf"tau\[0\] of joint '{first}' is nan"):
        md.hybrid_dynamics(graph, q, v, a, bad, [second])
    for robot, state in ((graph, (q, v, a, a)), (load_robot("four_bar"), np.zeros((4, 1)))):
        with pytest.raises(StateError, match="prescribed is None; the names of joints"):
            md.hybrid_dynamics(robot, *state, None)
    rows = [np.tile(x, (5, 1)) for x in (q, v, a, a)]
    rows[3][3, 0] = np.inf
    with pytest.raises(StateError, match=rf"row 3: tau\[0\] of joint '{first}' is inf"):
        md.hybrid_dynamics(graph, *rows, [second])


def test_a_joint_without_inertia_may_be_prescribed_but_not_driven():
    """The middle link of three has no mass: with its neighbour held, its torque has nothing to accelerate."""
    with pytest.warns(md.ModelWarning, match="has no mass"):
        graph = md.load_urdf(MASSLESS)
    q, v, a, tau = np.full(2, 0.3), np.full(2, 0.2), np.ones(2), np.zeros(2)
    result = md.hybrid_dynamics(graph, q, v, a, tau, ["second"])
    assert np.isfinite(result.a).all()
    with pytest.raises(StateError, match="joint 'second' moves no inertia: link 'end'"):
        md.hybrid_dynamics(graph, q, v, a, tau, ["first"])
    rows = [np.tile(x, (5, 1)) for x in (q, v, a, tau)]
    with pytest.raises(StateError, match="row 0: joint 'second' moves no inertia: link 'end'"):
        md.hybrid_dynamics(graph, *rows, ["first"])


MASSLESS = """<robot name="massless_end">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="end"/>
  <joint name="first" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="second" type="continuous"><parent link="arm"/><child link="end"/><axis xyz="0 1 0"/>
    <origin xyz="0.4 0 0"/></joint>
</robot>"""


@examples(100)
@given(tree=joint_trees(largest=20))
def test_friction_armatures_and_springs_count(tree):
    """Torques and accelerations of inverse dynamics are found again, whichever are known."""
    graph = tree.graph
    q, v, a = tree.state(graph)
    tau = md.inverse_dynamics(graph, q, v, a, friction="urdf")
    scale = 1.0 + np.abs(tau).max()
    M = md.mass_matrix(graph, q)
    for prescribed in (some_joints(graph, tree.seed), graph.joint_names, []):
        result = md.hybrid_dynamics(graph, q, v, a, tau, prescribed, friction="urdf")
        assert np.abs(result.tau - tau).max() <= 1e-11 * scale
        assert np.abs(M @ (result.a - a)).max() <= 1e-11 * scale
        rows = (q, v, a, tau)
        batch = md.hybrid_dynamics(graph, *([x] for x in rows), prescribed, friction="urdf")
        assert np.abs(batch.tau[0] - tau).max() <= 1e-11 * scale
        assert np.abs(M @ (batch.a[0] - a)).max() <= 1e-11 * scale


# Hybrid dynamics of trees against MuJoCo: hinges, slides and balls, armature and springs.


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed):
    model = compiled(random_tree(seed, "hsb", 8, terms=True)).model
    graph, rng = md.load_mjcf(model), np.random.default_rng(seed)
    q = graph.random_configuration(rng)
    v, a, tau = rng.normal(size=(3, graph.nv))
    names = [name for name in graph.joint_names if rng.random() < 0.5]
    known = mask(graph, names)
    result = md.hybrid_dynamics(graph, q, v, a, tau, names)
    accelerations, torques = MujocoSaddlePoint(graph, model, q, v).solve(known, a, tau)
    assert np.abs(result.a - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
    assert np.abs(result.tau - torques).max() <= 1e-10 * np.abs(torques).max()
