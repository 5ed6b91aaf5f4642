"""Attached objects as payloads: solids and meshes against Pinocchio's, masses, what is not counted."""

from itertools import product
from types import SimpleNamespace as Message

import numpy as np
import pinocchio
import pytest

from helpers.attached_objects import CUBE, HERE, attached, pose
from modular_dynamics_ros.exceptions import NumbersError, ParameterError
from modular_dynamics_ros.moveit.attached_objects import (
    Load,
    Masses,
    body_of_mesh,
    body_of_primitive,
    masses_by_id,
    payloads_of,
    placed,
    sum_of,
)


def test_objects_of_a_link_add_up():
    up = pose([0.0, 0.0, 0.3], [0.0, 0.0, 0.0, 1.0])
    objects = [
        attached("box", "hand", (CUBE, HERE)),
        attached("other", "hand", (CUBE, HERE), at=up),
        attached("box", "foot", (CUBE, up), at=up),
    ]
    refused = []
    loads = payloads_of(objects, Masses({"box": 2.0, "other": 1.0}), refused.append)
    assert not refused
    assert set(loads) == {"hand", "foot"}
    assert loads["hand"].mass == pytest.approx(3.0)
    assert np.allclose(loads["hand"].com, [0.0, 0.0, 0.1])
    assert loads["hand"].inertia[0, 0] == pytest.approx(3.0 * 0.01 / 6 + 2.0 * 0.1**2 + 1.0 * 0.2**2)
    assert np.allclose(loads["foot"].com, [0.0, 0.0, 0.6])


def test_shapes_of_an_object_share_its_mass_by_volume():
    flat = Message(type=1, dimensions=[0.1, 0.1, 0.3])
    far = pose([0.4, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
    (load,) = payloads_of(
        [attached("a", "hand", (CUBE, HERE), (flat, far))], Masses({"a": 4.0}), print
    ).values()
    assert load.mass == pytest.approx(4.0)
    assert np.allclose(load.com, [0.3, 0.0, 0.0])


def test_where_a_mass_comes_from():
    """A name before the weight of a message."""
    masses = Masses({"named": 1.0})
    for name in ("named", "weighed"):
        masses.take(attached(name, "hand", weight=3.0))
    assert [masses.of(name) for name in ("named", "weighed")] == [1.0, 3.0]
    for weight in (0.0, -1.0, np.nan, np.inf, 1e9):  # none
        masses.take(attached("weighed", "hand", weight=weight))
        with pytest.raises(NumbersError, match="not known"):
            masses.of("weighed")
    masses.take(attached("weighed", "hand", weight=3.0))
    masses.forget(["weighed"])  # it is attached no more
    with pytest.raises(NumbersError, match="not known"):
        masses.of("weighed")


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (attached("a", "hand", (CUBE, HERE)), "mass is not known"),
        (attached("box", "hand", (CUBE, HERE), frame="world"), "frame 'world'"),
        (attached("box", "hand"), "neither solids nor meshes"),
        (attached("box", "hand", (CUBE, HERE), (CUBE, None)), "2 solids with 1 poses"),
        (attached("box", "hand", (Message(type=5, dimensions=[1.0]), HERE)), "type 5"),
    ],
)
def test_what_is_not_counted_is_said_and_spoils_no_other(one, words):
    refused, good = [], attached("box", "foot", (CUBE, HERE))
    loads = payloads_of([one, good], Masses({"box": 1.0}), refused.append)
    assert list(loads) == ["foot"]
    (text,) = refused
    assert words in text
    assert f"object '{one.object.id}' on link 'hand'" in text


def test_masses_by_id():
    assert masses_by_id(["box=0.8", "a=b=2"]) == {"box": 0.8, "a=b": 2.0}
    for text in ("box", "=1", "box=", "box=-1", "box=0", "box=nan", "box=1e9", "box=1_0"):
        with pytest.raises(ParameterError, match="ID=KILOGRAMS"):
            masses_by_id([text])
    with pytest.raises(ParameterError, match="twice"):
        masses_by_id(["box=1", "box=2"])


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
