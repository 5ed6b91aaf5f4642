"""Rows of orientations all over the sphere: one zero, derivatives, and the reversed frame."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.motions import rate
from helpers.oracles.rigid_bodies import RigidBodies, moved
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.closure import solver_of

#: First row of the orientation of each type whose frames must not be reversed.
FIRST = {"revolute": 3, "fixed": 3, "prismatic": 2}
AXIS = np.array([0.6, 0.0, 0.8])
WRIST = ("roll", "pitch", "yaw")


def gimbal(kind):
    """Two bodies on the ground with a joint, of which one carries a wrist of three joints."""
    body = inertial(1.0, (0, 0, 0), np.eye(3))
    links = "".join(f'<link name="{name}">{body}</link>' for name in ("base", "post", *WRIST))
    joints = joint("swing", "revolute", "base", "post", (0, 0, 0), axis=(0, 0.8, 0.6))
    joints += "".join(
        joint(f"{name}_joint", "revolute", before, name, (0, 0, 0), axis=axis)
        for name, before, axis in zip(WRIST, ("base", *WRIST), np.eye(3), strict=False)
    )
    ends = ("post", (0, 0, 0), (0.3, -0.2, 0.5)), ("yaw", (0, 0, 0))
    return md.load_urdf(robot("gimbal", [links, joints], [loop_joint("pin", kind, *ends, AXIS)]))


GIMBALS = {kind: gimbal(kind) for kind in FIRST}


def rows(kind, q, v):
    values = solver_of(GIMBALS[kind]).system.evaluate(q, v)
    return [part[FIRST[kind] :].copy() for part in (values.phi, values.J, values.gamma)]


def turned(kind, relative, swing=0.4):
    """Coordinates at which the successor's anchor is turned by ``relative`` against the predecessor's."""
    graph, q = GIMBALS[kind], np.zeros(4)
    q[graph.q_slice("swing")] = swing
    before = RigidBodies(graph).gap("pin", q)[:3, :3].T  # the wrist at zero is the ground
    wrist = Rotation.from_matrix(before @ relative.as_matrix()).as_euler("XYZ")
    for name, angle in zip(WRIST, wrist, strict=True):
        q[graph.q_slice(f"{name}_joint")] = angle
    return q


def angle(kind, q):
    """Between the axes, or of the rotation between the frames; from the URDF text alone."""
    R = RigidBodies(GIMBALS[kind]).gap("pin", q)[:3, :3]
    if kind == "revolute":
        return np.arctan2(np.linalg.norm(np.cross(AXIS, R @ AXIS)), AXIS @ R @ AXIS)
    return Rotation.from_matrix(R).magnitude()


@pytest.mark.parametrize("kind", FIRST)
def test_the_norm_is_that_of_the_chord_so_only_agreeing_frames_are_closed(kind):
    rng = np.random.default_rng(0)
    for relative in Rotation.random(300, rng):
        q = turned(kind, relative, rng.uniform(-1, 1))
        norm = np.linalg.norm(rows(kind, q, np.zeros(4))[0])
        assert norm == pytest.approx(2 * np.sin(angle(kind, q) / 2), abs=1e-12)


@pytest.mark.parametrize("kind", FIRST)
@pytest.mark.parametrize("away", [0.0, 1e-9, 1e-6, 1e-3])
def test_the_reversed_frame_has_the_largest_residual_and_finite_rows(kind, away):
    rng = np.random.default_rng(1)
    for _ in range(50):
        across = np.cross(AXIS, rng.normal(size=3)) if kind == "revolute" else rng.normal(size=3)
        relative = Rotation.from_rotvec((np.pi - away) * across / np.linalg.norm(across))
        q = turned(kind, relative)
        phi, J, gamma = rows(kind, q, rng.normal(size=4))
        # a frame within 1e-4 rad of the reversed one counts as one that is so far away
        assert np.linalg.norm(phi) == pytest.approx(2.0, abs=1e-6)
        assert np.isfinite(J).all()
        assert np.isfinite(gamma).all()
        # 2 sin(angle/2) has no slope at the reversed frame itself; beside it J has its full rank
        assert away < 1e-4 or np.linalg.matrix_rank(J, 1e-9) == len(phi)


@pytest.mark.parametrize("kind", FIRST)
def test_jacobian_and_velocity_product_are_derivatives_all_over_the_sphere(kind):
    graph, rng = GIMBALS[kind], np.random.default_rng(2)
    compared = 0
    for relative in Rotation.random(200, rng):
        q, v = turned(kind, relative, rng.uniform(-1, 1)), rng.uniform(-1, 1, 4)
        if angle(kind, q) > 2.9:
            continue  # derivatives of higher orders grow without bound towards the reversed frame
        _, J, gamma = rows(kind, q, v)
        # the k-th derivative grows as (pi - angle)^-k; eighth differences of steps of 2e-3 leave 1e-9 at 2.9
        change = rate(lambda t, q=q, v=v: rows(kind, moved(graph, q, v * t), v)[0], 2e-3)
        assert J @ v == pytest.approx(change, abs=1e-8 * (1.0 + np.abs(J).max()))
        drift = rate(lambda t, q=q, v=v: rows(kind, moved(graph, q, v * t), v)[1] @ v, 2e-3)
        assert gamma == pytest.approx(drift, abs=1e-8 * (1.0 + np.abs(gamma).max()))
        compared += 1
    assert compared > 150
