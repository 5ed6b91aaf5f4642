"""Solids of even density: against Pinocchio's, and meshes of the same solids."""

from itertools import product

import numpy as np
import pinocchio
import pytest

from helpers.attached_objects import pose
from modular_dynamics_ros.exceptions import NumbersError
from modular_dynamics_ros.moveit.attached_objects import Load, body_of_mesh, body_of_primitive, placed, sum_of

CORNERS = np.array(list(product((0.0, 0.1), (0.0, 0.2), (0.0, 0.3))))
#: Two triangles for each face of a box, outwards.
FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


@pytest.mark.parametrize(
    ("kind", "dimensions", "volume", "theirs"),
    [
        (1, [0.1, 0.2, 0.3], 0.006, lambda m: pinocchio.Inertia.FromBox(m, 0.1, 0.2, 0.3)),
        (2, [0.3], 4 / 3 * np.pi * 0.027, lambda m: pinocchio.Inertia.FromSphere(m, 0.3)),
        (3, [0.5, 0.2], np.pi * 0.04 * 0.5, lambda m: pinocchio.Inertia.FromCylinder(m, 0.2, 0.5)),
    ],
)
def test_solids_are_pinocchios(kind, dimensions, volume, theirs):
    body = body_of_primitive(kind, dimensions)
    assert body.mass == pytest.approx(volume)
    other = theirs(volume)
    assert body.is_close(Load(other.mass, other.lever, other.inertia))


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]])
@pytest.mark.parametrize("apart", [False, True])
def test_a_mesh_of_a_box_is_the_box(order, apart):
    """Whichever way round its triangles are listed; also where each has three vertices of its own."""
    faces = FACES[:, order]
    corners = CORNERS[faces].reshape(-1, 3) if apart else CORNERS
    body = body_of_mesh(corners, np.arange(36).reshape(-1, 3) if apart else faces)
    box = placed(body_of_primitive(1, [0.1, 0.2, 0.3]), pose([0.05, 0.1, 0.15], [0, 0, 0, 1]))
    assert body.is_close(box)


def test_a_mesh_far_from_its_origin_has_the_same_moments():
    body = body_of_mesh(CORNERS + 100.0, FACES)
    box = body_of_primitive(1, [0.1, 0.2, 0.3])
    assert np.allclose(body.inertia, box.inertia, rtol=1e-9, atol=1e-9 * box.inertia.max())


def test_a_pose_turns_and_shifts():
    half = np.sqrt(0.5)
    body = placed(body_of_mesh(CORNERS, FACES), pose([1.0, 0.0, 0.0], [0.0, half, 0.0, half]))
    assert np.allclose(body.com, [1.15, 0.1, -0.05])  # of (0.05, 0.1, 0.15), a quarter turn about y
    same = placed(body_of_primitive(2, [0.1]), pose([0.0, 0.0, 0.2], [0.0, 0.0, 0.0, 0.0]))
    assert np.allclose(same.com, [0.0, 0.0, 0.2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: body_of_primitive(5, [1.0]), "type 5"),
        (lambda: body_of_primitive(1, [1.0, 2.0]), "3 from"),
        (lambda: body_of_primitive(2, [-1.0]), "1 from"),
        (lambda: body_of_primitive(2, [np.nan]), "1 from"),
        (lambda: body_of_mesh(CORNERS, FACES[:-1]), "not closed"),
        (lambda: body_of_mesh(CORNERS, FACES[:0]), "not closed"),
        (lambda: body_of_mesh(CORNERS, np.vstack([FACES[:-1], FACES[-1:, ::-1]])), "different senses"),
        (lambda: body_of_mesh(CORNERS, np.vstack([FACES, FACES[-1:]])), "not closed"),
        (lambda: body_of_mesh(CORNERS * [1.0, 1.0, 0.0], FACES), "encloses no volume"),
        (lambda: body_of_primitive(2, [1e-120]), "1 from"),
        (lambda: body_of_primitive(2, [1e200]), "1 from"),
        (lambda: placed(body_of_primitive(2, [0.1]), pose([0, 0, 0], [1e-170, 0, 0, 0])), "quaternion"),
        (lambda: body_of_mesh(CORNERS[:4], FACES), "not there"),
        (
            lambda: placed(body_of_primitive(2, [0.1]), pose([np.inf, 0, 0], [0, 0, 0, 1])),
            r"a pose \[inf, 0.0, 0.0\]; 1000 m at most",
        ),
    ],
)
def test_what_is_no_solid_is_refused(make, words):
    with pytest.raises(NumbersError, match=words):
        make()


def test_moved_and_added_up_as_pinocchio_does():
    rng, ours, theirs = np.random.default_rng(0), [], pinocchio.Inertia.Zero()
    for _ in range(3):
        arms = rng.normal(size=(3, 3))
        moments = np.trace(arms @ arms.T) * np.eye(3) - arms @ arms.T
        load, pose = Load(rng.uniform(0.1, 2.0), rng.normal(size=3), moments), pinocchio.SE3.Random()
        ours.append(load.moved(pose.rotation, pose.translation))
        theirs += pose.act(pinocchio.Inertia(load.mass, load.com, load.inertia))
    assert sum_of(ours).is_close(Load(theirs.mass, theirs.lever, theirs.inertia))
