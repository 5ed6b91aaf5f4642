"""Attached objects as payloads of links: masses by name and weight; what is not counted is said."""

from types import SimpleNamespace as Message

import numpy as np
import pytest

from helpers.attached_objects import CUBE, HERE, attached, pose
from modular_dynamics_ros.exceptions import NumbersError, ParameterError
from modular_dynamics_ros.moveit.attached_objects import Masses, masses_by_id, payloads_of


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
