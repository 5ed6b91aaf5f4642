"""The composition says what the paper says: A's zero pattern and sums, eta <= n_i, edges of the graph."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.algebra import adjoint, to_rotation_translation
from modular_dynamics.algebra.matrix_forms import homogeneous
from modular_dynamics.composition import edges, path_to

#: Example 2: p2 = p3 = p4 = 1, p5 = 4, p6 = 2, p7 = p8 = p9 = 6.
PREDECESSORS = [None, 1, 1, 1, 4, 2, 6, 6, 6]


@pytest.fixture(scope="module")
def composition(load_robot):
    graph = load_robot("branched_38dof")
    rng = np.random.default_rng(0)
    return md.compose(graph, *rng.normal(size=(3, graph.nv)))


def is_zero(element) -> bool:
    return not element.vec8().any()


def test_topology_of_the_paper(composition):
    graph = composition.graph
    assert [len(s.joints) for s in graph.subsystems] == [6, 4, 4, 4, 4, 4, 4, 4, 4]
    predecessors = [None if s.predecessor is None else s.predecessor + 1 for s in graph.subsystems]
    assert predecessors == PREDECESSORS
    carried_by = [s.connection.body for s in graph.subsystems]
    # subsystems 2 and 4 on the second link of subsystem 1, subsystem 3 on its last
    assert [carried_by[1], carried_by[3], carried_by[2]] == [1, 1, 5]


def test_interconnection_matrix_has_the_papers_zero_pattern(composition):
    A = composition.interconnection_matrix
    assert A.shape == (38, 9)
    for i in range(9):
        for j in range(9):
            block = composition.block(i, j)
            filled = i == j or PREDECESSORS[j] == i + 1
            assert any(not is_zero(element) for element in block) == filled, (i, j)


def test_only_the_eta_joints_before_the_connection_transmit_it(composition):
    """Example 4: of X_{2,1} only the first two entries of six are not zero; likewise everywhere."""
    graph = composition.graph
    for j, successor in enumerate(graph.subsystems):
        if successor.predecessor is not None:
            i = successor.predecessor
            eta = path_to(graph, graph.subsystems[i], successor.connection.body)
            affected = [n for n, element in enumerate(composition.block(i, j)) if not is_zero(element)]
            assert affected == eta == list(range(len(eta)))
    assert [n for n, element in enumerate(composition.block(0, 1)) if not is_zero(element)] == [0, 1]


def test_rows_sum_to_the_wrenches(composition):
    A = composition.interconnection_matrix
    ones = np.ones(A.shape[1], dtype=object)
    total = A @ ones  # Proposition 3
    for row, summed, wrench in zip(A, total, composition.wrenches, strict=True):
        by_hand = np.sum([element.vec8() for element in row], axis=0)
        assert summed.vec8() == pytest.approx(by_hand, abs=1e-12)
        assert wrench.vec8() == pytest.approx(by_hand, abs=1e-12)


def test_wrench_propagates_as_equation_7_says(composition):
    """Gamma_{j,i} = Ad_n(X_{j,i}) zeta_b: recomputed here from the poses alone."""
    graph = composition.graph
    successor, motion = graph.subsystems[1], composition.motions[0]
    x_a_b = motion.x_a_body[1] * successor.connection.x_body_connection
    poses = [x_a_joint.conjugate() * x_a_b for x_a_joint in motion.x_a_joint[:2]]
    expected = [adjoint(x, composition.connection_wrenches[1]) for x in poses]
    for element, theirs in zip(composition.block(0, 1)[:2], expected, strict=True):
        assert element.vec8() == pytest.approx(theirs.vec8(), abs=1e-10)


def test_connection_poses_are_pinocchios_placements():
    """X_{j,i}: of b_ij, the frame before subsystem j's first joint, in those before the joints of i."""
    path = ROBOTS / "branched_38dof.urdf"
    graph, model = md.load_urdf(path), pinocchio.buildModelFromUrdf(str(path))
    q = np.random.default_rng(3).normal(size=graph.nq)
    composition, data = md.compose(graph, q, 0.0 * q, 0.0 * q), model.createData()
    pinocchio.forwardKinematics(model, data, md.joint_order.from_pinocchio(graph, model).to_q(q))

    def before(joint):
        k = model.getJointId(joint.name)
        return data.oMi[model.parents[k]] * model.jointPlacements[k]

    counts = []
    for j, successor in enumerate(graph.subsystems[1:], 1):
        X, joints = composition.connection_poses(j), graph.predecessor(successor).joints
        poses = [x for x in X if x != md.DualQuaternion.zero]
        counts.append((len(poses), len(X)))
        for x, joint in zip(poses, joints, strict=False):  # the eta joints come first
            expected = before(joint).actInv(before(successor.joints[0]))
            assert homogeneous(*to_rotation_translation(x)) == pytest.approx(expected.homogeneous, abs=1e-12)
    assert counts == [(2, 6), (6, 6), (2, 6), (1, 4), (4, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(md.StateError, match="the ground carries 'subsystem_1', and has no joints"):
        composition.connection_poses(0)


def motion_of(motion):
    twist, acceleration = (np.roll(xi.vec6(), 3) for xi in (motion.twist, motion.twist_dot))
    return md.ConnectionMotion(motion.x_ground_a, twist, acceleration)


def specific_force(graph, motion):
    """What an IMU makes of a motion: no pose, no velocity, gravity within the acceleration."""
    (R, _), (_, omega), (slope, alpha) = (
        to_rotation_translation(motion.pose), *(np.split(x, 2) for x in motion[1:])
    )  # fmt: skip
    force = slope + np.cross(omega, motion.twist[:3]) - R.T @ graph.gravity
    return md.ConnectionMotion(np.eye(4), [0, 0, 0, *omega], [*(force + graph.gravity), *alpha])


@pytest.mark.parametrize(
    "kind", [md.DualQuaternionAlgebra, md.SpatialVectorAlgebra, md.SpecialEuclideanAlgebra]
)
@pytest.mark.parametrize("imu", [False, True])
def test_beyond_a_black_box_only_the_motion_at_its_ends_counts(load_robot, kind, imu):
    graph, random = load_robot("branched_38dof"), np.random.default_rng(4)
    state = random.normal(size=(3, graph.nv))
    whole = md.compose(graph, *state)
    motions = {graph.subsystems[j].name: motion_of(whole.motions[j]) for j in (6, 7, 8)}
    if imu:
        motions = {name: specific_force(graph, motion) for name, motion in motions.items()}
    box = graph.subsystem("subsystem_6")
    inside = [graph.joint_names.index(joint.name) for joint in box.joints]
    state[:, inside] = random.normal(size=(3, 4))  # unknown
    wrench = {box.name: whole.connection_wrenches[5].vec6()}
    found = md.compose(graph, *state, None, wrench, kind(), motions).tau
    assert np.isnan(found[inside]).all()
    others = np.delete(np.arange(graph.nv), inside)
    assert found[others] == pytest.approx(whole.tau[others], abs=1e-12 * np.abs(whole.tau).max())
    other = md.compose(graph, *state, None, wrench, kind()).tau
    assert np.abs(other - whole.tau)[others].max() > 1.0


@pytest.mark.parametrize(
    ("motions", "error", "message"),
    [
        ([1], md.StateError, "connection_motions is \\[1\\]; a mapping"),
        ({"arm": None}, md.UnknownNameError, "'arm'"),
        ({"subsystem_7": 3.0}, md.StateError, "motion of 'subsystem_7' is 3.0; a ConnectionMotion"),
        ({"subsystem_7": (np.diag([1, 1, -1, 1]), [0] * 6, [0] * 6)}, md.StateError, "no homogeneous matrix"),
        ({"subsystem_7": (np.eye(4), [0] * 5, [0] * 6)}, md.StateError, "the twist in the connection motion"),
        ({"subsystem_7": (np.eye(4), [0] * 6, [np.nan] * 6)}, md.StateError, "the acceleration in the"),
    ],
)
def test_motions_that_are_none(composition, motions, error, message):
    if isinstance(motions, dict):
        motions = {k: md.ConnectionMotion(*x) if isinstance(x, tuple) else x for k, x in motions.items()}
    with pytest.raises(error, match=message):
        md.compose(composition.graph, *np.zeros((3, 38)), connection_motions=motions)


def test_twists_are_derivatives_of_poses(load_robot):
    """Xi against finite differences of x_0_c: an independent look at eqs. 1, 5 and 6."""
    graph = load_robot("branched_38dof")
    q, v, a = np.random.default_rng(2).normal(size=(3, graph.nv))
    h = 1e-5

    def at(t):
        return md.compose(graph, q + v * t + 0.5 * a * t * t, v + a * t, a)

    def x_ground_c(composition):
        return [m.x_ground_a * x.conjugate() for m in composition.motions for x in m.x_c_a]

    before, now, after = at(-h), at(0.0), at(h)
    dots = [xid for motion in now.motions for xid in motion.total_dot]
    rows = zip(x_ground_c(before), x_ground_c(now), x_ground_c(after), now.twists, strict=True)
    for k, (x0, x, x1, xi) in enumerate(rows):
        body_twist = x.conjugate() * ((x1 - x0) * (1.0 / h))  # 2 x* xdot
        # second-order difference: h^2 times third derivatives of some hundreds
        assert body_twist.vec6() == pytest.approx(xi.vec6(), abs=1e-5)
        slope = (after.twists[k] - before.twists[k]) * (0.5 / h)
        assert slope.vec6() == pytest.approx(dots[k].vec6(), abs=1e-4)


def test_edges_follow_the_three_rules(composition):
    graph_edges = edges(composition.graph)
    twists = {(start, end) for kind, start, end, _ in graph_edges if kind == "twist"}
    wrenches = {(start, end) for kind, start, end, _ in graph_edges if kind == "wrench"}
    links = {(p - 1, i) for i, p in enumerate(PREDECESSORS) if p is not None}
    loops = {(i, i) for i in range(9)}
    assert twists == loops | links
    assert wrenches == loops | {(i, p) for p, i in links}
    # C4: the root has one incoming dashed edge, the leaves one incoming solid edge
    assert sum(end == 0 for _, end in twists) == 1
    leaves = [i + 1 for i in range(9) if sum(end == i for _, end in wrenches) == 1]
    assert leaves == [3, 5, 7, 8, 9]


def test_charmie_at_rest_carries_its_weight(load_robot):
    """Goncalves et al.: 545.4 N of body 2 on body 3."""
    graph = load_robot("charmie")
    rest = np.zeros(graph.nv)
    composition = md.compose(graph, rest, rest, rest)
    k = [body.name for body in graph.bodies].index("body_3")
    force, _ = composition.algebra.force_moment(composition.wrenches[k])
    assert force == pytest.approx([0.0, 0.0, 55.6 * 9.81], abs=1e-9)
    assert round(force[2], 1) == 545.4


def test_dot_text(load_robot):
    text = md.subsystem_graph_dot(load_robot("charmie"))
    assert text.startswith('digraph "charmie" {')
    assert '1 -> 2 [style=dashed, label="Ξ1,2"];' in text
    assert '2 -> 1 [style=solid, label="Γ2,1"];' in text
    assert text.count("style=dashed") == 9
    assert text.count("style=solid") == 9
