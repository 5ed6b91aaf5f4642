"""Frame poses and jacobians: Pinocchio, composition, finite differences, virtual work; bad input."""

import tracemalloc

import numpy as np
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.tree_strategies import ROBOTS, partitions, random_trees
from modular_dynamics.algebra import rotation_matrix, to_rotation_translation, translation
from modular_dynamics.dynamics.execution import workspaces

ROBOT_NAMES = ["charmie", "branched_38dof", "four_link", "vendor_arm"]
BOX = {
    "version": 1,
    "subsystems": [{"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}],
}


def assert_same(ours, theirs):
    assert np.abs(ours - theirs).max(initial=0.0) <= 1e-10 * max(np.abs(theirs).max(initial=0.0), 1.0)


class Pinocchio:
    """Placements and jacobians of links by Pinocchio, in the graph's order."""

    def __init__(self, graph, q):
        self.graph, self.pin = graph, md.crosscheck.PinocchioModel(graph)
        pinocchio.computeJointJacobians(self.pin.model, self.pin.data, self.pin.q(q))
        pinocchio.updateFramePlacements(self.pin.model, self.pin.data)

    def frame(self, link):
        # "universe" is the root link that a floating base adds; a joint may have a link's name
        return 0 if link == "universe" else self.pin.model.getFrameId(link, pinocchio.FrameType.BODY)

    def placements(self):
        return np.array([self.pin.data.oMf[self.frame(link)].homogeneous for link in self.graph.links])

    def jacobian(self, link, axes):
        reference = {"root": pinocchio.LOCAL_WORLD_ALIGNED, "link": pinocchio.LOCAL}[axes]
        theirs = pinocchio.getFrameJacobian(self.pin.model, self.pin.data, self.frame(link), reference)
        return np.array([self.pin.tau(row) for row in theirs.reshape(6, -1)])  # one column comes as 1-D


def integrated(graph, q, v, step):
    """q after moving with constant v (floating: in the child's axes) for a short time, to first order."""
    moved = q.copy()
    for name in graph.joint_names:
        iq, iv = graph.q_slice(name), graph.v_slice(name)
        if graph.joint(name).type is md.JointType.FLOATING:
            r = md.Quaternion(*(q[iq][3:] / np.linalg.norm(q[iq][3:])))
            turn = r * md.Quaternion(0.0, *(0.5 * step * v[iv][3:]))
            moved[iq] = [
                *(q[iq][:3] + step * rotation_matrix(r) @ v[iv][:3]),
                *[r.w + turn.w, r.x + turn.x, r.y + turn.y, r.z + turn.z],
            ]
        else:
            moved[iq] += step * v[iv]
    return moved


@settings(max_examples=200)
@given(data=st.data(), tree=random_trees(largest=30))
def test_random_trees_agree_with_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf)
    q, _, _ = tree.state(graph)
    theirs = Pinocchio(graph, q)
    assert_same(md.frame_poses(graph, q), theirs.placements())
    link = data.draw(st.sampled_from(graph.links))
    for axes in ("root", "link"):
        assert_same(md.jacobian(graph, q, link, axes), theirs.jacobian(link, axes))


@pytest.mark.parametrize("name", ROBOT_NAMES)
@pytest.mark.parametrize("floating_base", [False, True])
def test_robots_agree_with_pinocchio(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    q = np.random.default_rng(2).uniform(-3, 3, graph.nq)
    theirs = Pinocchio(graph, q)
    assert_same(md.frame_poses(graph, q), theirs.placements())
    for link in graph.links:
        for axes in ("root", "link"):
            assert_same(md.jacobian(graph, q, link, axes), theirs.jacobian(link, axes))


@settings(max_examples=40)
@given(data=st.data(), tree=random_trees(largest=20))
def test_random_trees_agree_with_the_composition(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, vdot = tree.state(graph)
    composed = md.compose(graph, q, v, vdot)
    for subsystem, motion in zip(graph.subsystems, composed.motions, strict=True):
        for k, x_a_body in zip(subsystem.indices, motion.x_a_body, strict=True):
            body = graph.bodies[k]
            x_ground_body = motion.x_ground_a * x_a_body
            for link, x_body_link in body.links.items():
                rotation, position = to_rotation_translation(x_ground_body * x_body_link)
                (found,) = md.frame_poses(graph, q, [link])
                assert_same(found[:3], np.column_stack([rotation, position]))
            linear, angular = (md.jacobian(graph, q, body.name, "link") @ v).reshape(2, 3)
            expected = composed.twists[k].vec6()  # (omega, velocity of the CoM), in the body's axes
            assert_same(np.concatenate([angular, linear + np.cross(angular, body.com)]), expected)


@settings(max_examples=30)
@given(data=st.data(), tree=random_trees(largest=20))
def test_virtual_work(data, tree):
    """What a wrench on a link does to the torques, J^T says."""
    graph = md.load_urdf(tree.urdf)
    q, v, vdot = tree.state(graph)
    link = data.draw(st.sampled_from(graph.links))
    wrench = np.random.default_rng(tree.seed).normal(size=6)
    free = md.inverse_dynamics(graph, q, v, vdot)
    loaded = md.inverse_dynamics(graph, q, v, vdot, {link: wrench})
    assert np.abs(free - loaded - md.jacobian(graph, q, link, "link").T @ wrench).max() <= 1e-11 * max(
        np.abs(free).max(), 1.0
    )


@pytest.mark.parametrize("name", ROBOT_NAMES)
@pytest.mark.parametrize("floating_base", [False, True])
def test_finite_differences(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    rng = np.random.default_rng(4)
    q, v, step = rng.normal(size=graph.nq), rng.normal(size=graph.nv), 1e-5
    before, here, after = (md.frame_poses(graph, integrated(graph, q, v, s)) for s in (-step, 0.0, step))
    for k, link in enumerate(graph.links):
        J = md.jacobian(graph, q, link)
        change = (after[k] - before[k]) / (2 * step)
        spin = change[:3, :3] @ here[k][:3, :3].T  # [omega]x
        found = np.array([*change[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
        # the differences leave step^2 of third derivatives and 1e-16 / step of rounding
        assert np.abs(J @ v - found).max() <= 1e-7 * max(np.abs(found).max(), 1.0)


def test_frame_pose_is_a_unit_dual_quaternion(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    q = np.random.default_rng(5).normal(size=graph.nq)
    for link, matrix in zip(graph.links, md.frame_poses(graph, q), strict=True):
        x = md.frame_pose(graph, q, link)
        assert x.is_unit()
        assert x.primary.w >= 0.0
        assert_same(rotation_matrix(x.primary), matrix[:3, :3])
        assert_same(translation(x), matrix[:3, 3])


def test_links_are_in_the_documented_order(load_robot):
    graph = load_robot("vendor_arm")
    ground = list(graph.ground.links)
    assert graph.links == (*ground, *(link for body in graph.bodies for link in body.links))
    q = np.random.default_rng(6).normal(size=graph.nq)
    every = dict(zip(graph.links, md.frame_poses(graph, q), strict=True))
    assert np.array_equal(every[ground[0]], np.eye(4))
    chosen = [graph.links[-1], graph.links[0], graph.links[-1]]
    assert_same(md.frame_poses(graph, q, chosen), np.array([every[link] for link in chosen]))
    assert md.frame_poses(graph, q, []).shape == (0, 4, 4)
    assert np.array_equal(md.jacobian(graph, q, ground[0]), np.zeros((6, graph.nv)))


def test_links_of_black_boxes_have_poses_too():
    plain = md.load_urdf(ROBOTS / "vendor_arm.urdf")
    boxed = md.load_urdf(ROBOTS / "vendor_arm.urdf", BOX)
    assert sorted(boxed.links) == sorted(plain.links)
    assert "tv7_gripper_base" in boxed.subsystem("tool").fixed_links
    values = dict(zip(plain.joint_names, np.random.default_rng(7).normal(size=plain.nq), strict=True))
    ours, theirs = ([values[name] for name in graph.joint_names] for graph in (boxed, plain))
    assert_same(md.frame_poses(boxed, ours), md.frame_poses(plain, theirs, boxed.links))
    order = [plain.joint_names.index(name) for name in boxed.joint_names]
    for link in boxed.links:
        assert_same(md.jacobian(boxed, ours, link), md.jacobian(plain, theirs, link)[:, order])


def test_closed_loops_are_open_trees_here(load_robot):
    plain = load_robot("four_link")
    ends = '<predecessor link="base"/><successor link="left_branch"/>'
    tags = f'<loop_joint name="top" type="fixed">{ends}</loop_joint><passive joint="bend"/>'
    text = plain.urdf.replace("</modular_dynamics>", f"{tags}</modular_dynamics>")
    closed = md.load_urdf(text)
    assert closed.loop_joints
    assert closed.nq == plain.nq
    q = np.random.default_rng(8).normal(size=plain.nq)
    assert np.array_equal(md.frame_poses(closed, q), md.frame_poses(plain, q))
    assert np.array_equal(md.jacobian(closed, q, "left_branch"), md.jacobian(plain, q, "left_branch"))


def test_a_robot_that_cannot_move():
    graph = md.load_urdf(
        '<robot name="rock"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
        '<child link="b"/><origin xyz="1 2 3"/></joint></robot>'
    )
    assert md.frame_poses(graph, [])[1][:3, 3] == pytest.approx([1, 2, 3])
    assert md.jacobian(graph, [], "b").shape == (6, 0)


@settings(max_examples=20)
@given(data=st.data(), tree=random_trees(largest=20))
def test_batches_equal_single_calls(data, tree):
    graph = md.load_urdf(tree.urdf)
    q = np.random.default_rng(tree.seed).normal(size=(11, graph.nq))
    poses = np.array([md.frame_poses(graph, row) for row in q])
    scale = np.abs(poses).max()
    assert np.abs(md.frame_poses_batch(graph, q) - poses).max() <= 1e-12 * scale
    link = data.draw(st.sampled_from(graph.links))
    for axes in ("root", "link"):
        each = np.array([md.jacobian(graph, row, link, axes) for row in q])
        assert np.abs(md.jacobian_batch(graph, q, link, axes, 1) - each).max(initial=0.0) <= 1e-12 * scale


def test_batch_options(load_robot):
    graph = load_robot("four_link")
    q, link = np.random.default_rng(9).normal(size=(3000, graph.nq)), graph.links[-1]
    seen = []
    poses = np.empty((3000, 1, 4, 4))
    found = md.frame_poses_batch(graph, q, [link], 2, out=poses, progress=lambda *at: seen.append(at))
    assert found is poses
    assert seen[-1] == (3000, 3000)
    assert_same(poses[2999, 0], md.frame_poses(graph, q[2999], [link])[0])
    out = np.empty((3000, 6, graph.nv))
    assert md.jacobian_batch(graph, q, link, out=out) is out
    assert md.jacobian_batch(graph, q[:0], link).shape == (0, 6, graph.nv)


def test_out_and_what_can_be_converted(load_robot):
    graph = load_robot("charmie")
    q, link = np.ones(graph.nq), graph.links[-1]
    poses, J = np.full((len(graph.links), 4, 4), np.nan), np.full((6, graph.nv), np.nan)
    assert md.frame_poses(graph, q, out=poses) is poses
    assert md.jacobian(graph, q, link, out=J) is J
    assert np.array_equal(poses, md.frame_poses(graph, q.tolist()))
    assert np.array_equal(J, md.jacobian(graph, np.ones(2 * graph.nq)[::2], link))
    assert np.array_equal(J, md.jacobian(graph, q.astype(np.float32), link))


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g, q: md.frame_poses(g, q, ["lid"]), "no link 'lid' in 'charmie'; its links: .*body_12a"),
        (lambda g, q: md.frame_pose(g, q, "lid"), "no link 'lid' in 'charmie'; its links: "),
        (lambda g, q: md.jacobian(g, q, "lid"), "no link 'lid' in 'charmie'; its links: "),
        (lambda g, q: md.frame_poses(g, q, "body_12a"), "links is 'body_12a'; a sequence"),
        (lambda g, q: md.frame_poses(g, q, 3), "links is 3; a sequence"),
        (lambda g, q: md.frame_poses(g, q, [["body_12a"]]), "a sequence of link names"),
        (lambda g, q: md.jacobian(g, q, ["body_12a"]), "two names are needed"),
        (lambda g, q: md.jacobian(g, q, "body_12a", "world"), "axes is 'world'; 'root' or 'link' is needed"),
        (lambda g, q: md.frame_poses(g, q[1:]), r"q has shape \(18,\); 'charmie' needs \(19,\)"),
        (lambda g, q: md.jacobian(g, q * np.nan, "body_12a"), r"q\[0\] of joint 'base_x' is nan"),
        (lambda g, q: md.frame_poses(g, ["a"] * 19), "not an array of numbers"),
        (lambda g, q: md.frame_poses(g, q, out=np.empty((3, 4, 4))), r"out is float64 \(3, 4, 4\); a write"),
        (lambda g, q: md.jacobian(g, q, "body_12a", out=np.empty((19, 6)).T), r"out is float64 \(6, 19\)"),
        (lambda g, q: md.jacobian(g, q, "body_12a", out=np.empty((6, 19), "f4")), "out is float32"),
        (lambda g, q: md.jacobian(g, q, "body_12a", out=[]), "out is list"),
        (lambda g, q: md.jacobian_batch(g, q, "body_12a"), r"q has shape \(19,\); 'charmie' needs \(n, 19\)"),
        (lambda g, q: md.frame_poses_batch(g, [q], threads=0), "threads is 0"),
        (lambda g, q: md.frame_poses_batch(g, [q, q * np.inf]), "row 1: .*joint 'base_x' is inf"),
    ],
)
def test_bad_input_is_named(load_robot, compute, message):
    graph = load_robot("charmie")
    with pytest.raises(md.StateError, match=message):
        compute(graph, np.ones(graph.nq))


def test_a_zero_quaternion_is_refused_whichever_link_is_asked_for(load_robot):
    graph = load_robot("four_link", floating_base=True)
    for link in ("universe", graph.links[-1]):
        with pytest.raises(md.StateError, match="zero quaternion"):
            md.jacobian(graph, np.zeros(graph.nq), link)


def test_solvers_are_kept_within_bounds(load_robot, monkeypatch):
    monkeypatch.setattr(workspaces, "MOST_WORKSPACES", 3)
    graph = load_robot("charmie")
    q = np.ones(graph.nq)
    for link in graph.links:
        md.frame_poses(graph, q, [link])
        md.jacobian(graph, q, link)
    kept = list(workspaces._data[id(graph)].threads.by_key)
    assert len(kept) == 3
    assert kept[-1] == (md.Jacobian, (graph.links[-1], "root"))


@pytest.mark.parametrize("what", ["poses", "root", "link"])
def test_nothing_is_allocated(load_robot, what):
    graph = load_robot("branched_38dof")
    q = np.ones(graph.nq)
    solver = md.FramePoses(graph) if what == "poses" else md.Jacobian(graph, graph.links[-1], what)
    out = np.empty(solver.shape)
    solver(q, out)
    tracemalloc.start()
    try:
        solver(q, out)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(1000):
            solver(q, out)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # J alone has 1800 bytes, the poses more; a call's frames and dictionary stay below
    assert now - before < 300
    assert peak - before < 1500
