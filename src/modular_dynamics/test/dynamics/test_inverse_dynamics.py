"""Inverse dynamics: kernel == composition == Pinocchio; black boxes; closed forms; bad input."""

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees

#: Of the largest torque. Sixty joints of products and sums in double precision leave some 1e-13.
RELATIVE = 1e-10

PENDULUM = """
<robot name="double_pendulum">
  <link name="base"/>
  <link name="rod_1"><inertial><origin xyz="0 0 -0.7"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="rod_2"><inertial><origin xyz="0 0 -0.4"/><mass value="3"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="hinge_1" type="continuous"><parent link="base"/><child link="rod_1"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="hinge_2" type="continuous"><parent link="rod_1"/><child link="rod_2"/>
    <origin xyz="0 0 -0.7"/><axis xyz="1 0 0"/></joint>
</robot>
"""


def assert_same(tau, reference):
    scale = max(np.abs(reference).max(), 1e-9)
    assert np.abs(tau - reference).max() <= RELATIVE * scale


@pytest.mark.slow
@examples(60)
@given(data=st.data(), tree=random_trees())
def test_random_trees_agree_with_composition_and_pinocchio(data, tree):
    whole = md.load_urdf(tree.urdf, {"version": 1, "subsystems": []})
    q, v, vdot = tree.state(whole)
    by_name = {name: q[whole.q_slice(name)] for name in whole.joint_names}
    reference = md.crosscheck.CrossCheck(whole).torques(q, v, vdot)
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    # another partition orders the coordinates otherwise: permute by name
    into_q = np.concatenate([by_name[name] for name in graph.joint_names])
    into_v = np.concatenate([np.arange(whole.nv)[whole.v_slice(name)] for name in graph.joint_names])
    tau = md.inverse_dynamics(graph, into_q, v[into_v], vdot[into_v])
    assert_same(tau, reference[into_v])
    assert_same(md.compose(graph, into_q, v[into_v], vdot[into_v]).tau, reference[into_v])


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link", "vendor_arm"])
@pytest.mark.parametrize("floating_base", [False, True])
def test_robots_agree_with_composition_and_pinocchio(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    check = md.crosscheck.CrossCheck(graph)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v, vdot = rng.uniform(-3, 3, graph.nq), rng.normal(size=graph.nv), rng.normal(size=graph.nv)
        reference = check.torques(q, v, vdot)
        assert_same(md.inverse_dynamics(graph, q, v, vdot), reference)
        assert_same(md.compose(graph, q, v, vdot).tau, reference)
        assert_same(md.compose(graph, q, v, vdot, algebra=md.SpatialVectors()).tau, reference)


@pytest.mark.slow
@examples(60)
@given(data=st.data(), tree=random_trees(largest=25))
def test_a_black_box_with_its_true_wrench_changes_nothing_else(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, vdot = tree.state(graph)
    solver = md.InverseDynamics(graph)
    full = solver(q, v, vdot)
    result = solver.solve(q, v, vdot)
    assert np.array_equal(result.tau, full)
    wrenches = dict(zip([s.name for s in graph.subsystems], result.connection_wrenches, strict=True))
    composed = md.compose(graph, q, v, vdot)
    for own, theirs in zip(wrenches.values(), composed.connection_wrenches, strict=True):
        assert_same(own, theirs.vec6())
    boxes = data.draw(st.lists(st.sampled_from(graph.subsystems), min_size=1, max_size=3, unique=True))
    inside = [graph.v_slice(graph.driver(joint)) for box in boxes for joint in box.joints]
    known = np.ones(graph.nv, bool)
    for part in inside:
        known[part] = False
    given_wrenches = {box.name: wrenches[box.name] for box in boxes}
    boxed = solver(q, v, vdot, black_box_wrenches=given_wrenches)
    scale = max(np.abs(full).max(), 1.0)
    assert np.abs(boxed - full)[known].max(initial=0.0) <= 1e-12 * scale
    assert np.isnan(boxed[~known]).all()
    other = md.compose(graph, q, v, vdot, black_box_wrenches=given_wrenches).tau
    assert np.abs(other - full)[known].max(initial=0.0) <= 1e-12 * scale
    # and a wrong wrench does what Pinocchio says it does
    wrong = {name: wrench + np.arange(6) for name, wrench in given_wrenches.items()}
    residual = md.crosscheck.CrossCheck(graph)(
        q, v, vdot, solver(q, v, vdot, black_box_wrenches=wrong), black_box_wrenches=wrong
    )
    assert residual.worst <= RELATIVE * max(residual.scale, 1.0)
    # the workspace forgets the boxes
    assert np.array_equal(solver(q, v, vdot), full)


@pytest.mark.parametrize("name", ["charmie", "vendor_arm"])
def test_external_wrenches_agree_with_composition_and_pinocchio(load_robot, name):
    graph = load_robot(name)
    rng = np.random.default_rng(2)
    q, v, vdot = rng.normal(size=graph.nq), rng.normal(size=graph.nv), rng.normal(size=graph.nv)
    links = [link for body in graph.bodies for link in body.links]
    external = {link: rng.normal(size=6) * 10 for link in links[::2]}
    external[graph.ground.name] = np.ones(6)  # the ground bears it, no joint does
    tau = md.inverse_dynamics(graph, q, v, vdot, external)
    reference = md.crosscheck.CrossCheck(graph).torques(q, v, vdot, external)
    assert_same(tau, reference)
    assert_same(md.compose(graph, q, v, vdot, external).tau, reference)
    assert np.abs(tau - md.inverse_dynamics(graph, q, v, vdot)).max() > 1.0


def test_double_pendulum_closed_form():
    """Meister & Gutenkunst's benchmark: two point masses on rods, in closed form."""
    graph = md.load_urdf(PENDULUM)
    m1, m2, l1, l2, g = 2.0, 3.0, 0.7, 0.4, 9.81
    rng = np.random.default_rng(3)
    for _ in range(50):
        (a1, a2), (w1, w2), (e1, e2) = rng.uniform(-3, 3, (3, 2))
        t1, t2, w, e = a1, a1 + a2, w1 + w2, e1 + e2  # absolute angles
        c, s = np.cos(t1 - t2), np.sin(t1 - t2)
        lower = m2 * l2 * (l2 * e + l1 * e1 * c - l1 * w1**2 * s + g * np.sin(t2))
        upper = l1 * ((m1 + m2) * l1 * e1 + m2 * l2 * e * c + m2 * l2 * w**2 * s + (m1 + m2) * g * np.sin(t1))
        # the lower hinge's torque acts back on the upper rod
        assert md.inverse_dynamics(graph, [a1, a2], [w1, w2], [e1, e2]) == pytest.approx(
            [upper + lower, lower], abs=1e-11
        )


def test_without_gravity_a_robot_at_rest_needs_no_torque():
    graph = md.load_urdf(PENDULUM, gravity=(0.0, 0.0, 0.0))
    assert np.abs(md.inverse_dynamics(graph, [0.5, 0.2], [0, 0], [0, 0])).max() == 0.0


def test_mimic_torque_goes_to_the_driver(load_robot):
    """Virtual power: the driver's torque is the derivative of the energy of both fingers."""
    graph = load_robot("vendor_arm")
    assert graph.nv == len(graph.joints) - 1
    rng = np.random.default_rng(4)
    q, rest = rng.normal(size=graph.nq), np.zeros(graph.nv)
    tau = md.inverse_dynamics(graph, q, rest, rest)
    finger = graph.v_slice(graph.joints[-1].mimic.joint)
    model = md.crosscheck.PinocchioModel(graph)
    import pinocchio

    def potential(shift: float) -> float:
        moved = q.copy()
        moved[finger] += shift
        return pinocchio.computePotentialEnergy(model.model, model.data, model.q(moved))

    # central difference of a function whose third derivative in a straight finger is zero: rounding only
    assert tau[finger] == pytest.approx((potential(1e-3) - potential(-1e-3)) / 2e-3, abs=1e-9)


def test_out_is_used_and_nothing_else_is_allocated(load_robot):
    graph = load_robot("branched_38dof")
    solver = md.InverseDynamics(graph)
    rng = np.random.default_rng(5)
    q, v, vdot, out = rng.normal(size=(4, graph.nv))
    expected = solver(q, v, vdot)
    assert solver(q, v, vdot, out=out) is out
    assert np.array_equal(out, expected)
    tracemalloc.start()
    try:
        solver(q, v, vdot, out=out)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(1000):
            solver(q, v, vdot, out=out)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # an array of nv doubles has 304 bytes and its header 112; call frames and lists of three stay below both
    assert now - before < 300
    assert peak - before < 2000


def test_one_call_does_not_disturb_another_graph_or_thread(load_robot):
    from concurrent.futures import ThreadPoolExecutor

    graph = load_robot("charmie")
    states = np.random.default_rng(6).normal(size=(64, 3, graph.nv))
    expected = [md.InverseDynamics(graph)(*state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda state: md.inverse_dynamics(graph, *state), states))
    assert np.array_equal(found, expected)


def test_a_graph_can_be_pickled(load_robot):
    graph = load_robot("charmie")
    q = np.ones(graph.nq)
    tau = md.inverse_dynamics(graph, q, q, q)
    assert np.array_equal(md.inverse_dynamics(pickle.loads(pickle.dumps(graph)), q, q, q), tau)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(3)}, r"q has shape \(3,\); 'charmie' needs \(19,\)"),
        ({"v": np.zeros((19, 1))}, r"v has shape \(19, 1\)"),
        ({"vdot": np.full(19, np.nan)}, r"vdot\[0\] of joint 'base_x' is nan"),
        ({"q": [0.0] * 4 + [np.inf] + [0.0] * 14}, r"q\[4\] of joint 'torso_pitch' is inf"),
        ({"q": "zero"}, "not an array of numbers"),
        (
            {"out": np.zeros(18)},
            r"out is float64 \(18,\); a writeable contiguous float64 array \(19,\) is needed",
        ),
        ({"out": np.zeros(19, np.float32)}, "out is float32"),
        ({"q": np.zeros(19, complex)}, "complex numbers"),
        ({"v": np.full(19, 1e200)}, "so large that the torques are not"),
        ({"external_wrenches": {"body_5": "push"}}, "six finite numbers"),
        ({"external_wrenches": [1, 2]}, "a mapping of names to"),
        ({"black_box_wrenches": 5}, "a mapping of names to"),
        ({"external_wrenches": {"nose": np.zeros(6)}}, "no link 'nose' in 'charmie'"),
        ({"external_wrenches": {"body_5": np.zeros(3)}}, "six finite numbers"),
        ({"black_box_wrenches": {"tail": np.zeros(6)}}, "no subsystem 'tail'.*left_arm"),
        ({"black_box_wrenches": {"head": [np.nan] * 6}}, "wrench of black box 'head'"),
    ],
)
def test_bad_input_is_named(load_robot, change, message):
    graph = load_robot("charmie")
    arguments = {"q": np.zeros(19), "v": np.zeros(19), "vdot": np.zeros(19)} | change
    with pytest.raises(md.StateError, match=message):
        md.inverse_dynamics(graph, **arguments)
    # and the next good call is answered
    assert np.isfinite(md.inverse_dynamics(graph, *np.zeros((3, 19)))).all()


def test_a_zero_quaternion_is_refused(load_robot):
    graph = load_robot("four_link", floating_base=True)
    with pytest.raises(md.StateError, match="zero quaternion"):
        md.inverse_dynamics(graph, np.zeros(graph.nq), np.zeros(graph.nv), np.zeros(graph.nv))


def test_a_tagged_black_box_needs_its_wrench(load_robot):
    partition = {
        "version": 1,
        "subsystems": [{"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}],
    }
    from helpers.paths import ROBOTS

    graph = md.load_urdf(ROBOTS / "vendor_arm.urdf", partition)
    state = np.zeros((3, graph.nv))
    with pytest.raises(md.StateError, match="'tool' is a black box: its wrench is needed"):
        md.inverse_dynamics(graph, *state)
    wrench = {"tool": [1.0, 2.0, 30.0, 0.1, 0.2, 0.3]}
    tau = md.inverse_dynamics(graph, *state, black_box_wrenches=wrench)
    residual = md.crosscheck.CrossCheck(graph)(*state, tau, black_box_wrenches=wrench)
    assert residual.worst <= RELATIVE * residual.scale
    assert np.isnan(tau).sum() == 1  # the driver of the two fingers


@pytest.mark.parametrize(
    "tag",
    [
        '<passive joint="hinge_2"/>',
        '<gear joint="hinge_2" driver="hinge_1" ratio="-1"/>',
        '<spring name="s" stiffness="1" free_length="1"><anchor link="base"/><anchor link="rod_2"/></spring>',
        '<loop_joint name="l" type="fixed"><predecessor link="base"/><successor link="rod_2"/></loop_joint>',
    ],
)
def test_closed_loops_are_refused_by_name(tag):
    graph = md.load_urdf(
        PENDULUM.replace("</robot>", f'<modular_dynamics version="1">{tag}</modular_dynamics></robot>')
    )
    with pytest.raises(md.UnsupportedModelError, match="not supported"):
        md.crosscheck.CrossCheck(graph)
    for compute in (md.inverse_dynamics, md.compose):
        with pytest.raises(md.UnsupportedModelError, match="not supported"):
            compute(graph, [0, 0], [0, 0], [0, 0])


@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_one_of_the_arguments(load_robot, which):
    graph = load_robot("charmie")
    state = list(np.random.default_rng(8).normal(size=(3, graph.nv)))
    expected = md.inverse_dynamics(graph, *state)
    assert np.array_equal(md.inverse_dynamics(graph, *state, out=state[which]), expected)


def test_a_link_with_the_name_of_a_joint():
    """Pinocchio has frames for both."""
    text = PENDULUM.replace('"hinge_1"', '"rod_1"').replace('"hinge_2"', '"rod_2"')
    graph = md.load_urdf(text)
    external = {"rod_2": np.arange(6.0)}
    tau = md.inverse_dynamics(graph, [0.3, 0.2], [1, 2], [3, 4], external)
    assert md.crosscheck.CrossCheck(graph)([0.3, 0.2], [1, 2], [3, 4], tau, external).relative < RELATIVE
