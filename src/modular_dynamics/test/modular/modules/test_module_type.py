"""Module types made in Python: what no module can be is an error; equal data are equal types."""

import copy
import pickle

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.exceptions import ModelError, ModelWarning
from modular_dynamics.model import JointType, Limits

HINGE = modular.ModuleJoint("hinge", JointType.REVOLUTE, "a", "b", np.array([0.0, 0.0, 2.0]))
BODIES = {"a": modular.ModuleBody("a", 1.0), "b": modular.ModuleBody("b", 1.0)}


def port(name="1", number=1, **fields):
    return modular.Port(name, number, "a", **{"x_module_port": md.algebra.DualQuaternion.identity, **fields})


def joint(kind=JointType.REVOLUTE, axis=HINGE.axis, name="j", ends=("a", "b"), **fields):
    return modular.ModuleJoint(name, kind, *ends, axis, **fields)


def made(**changes):
    parts = {"name": "m", "bodies": BODIES, "joints": (HINGE,), "ports": {"1": port()}, "root": "a"}
    return modular.ModuleType(**parts | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "a/b"}, "without '/' and white space, is needed as its name"),
        ({"root": "c"}, "its root body 'c' is none of its bodies: a, b"),
        ({"joints": ()}, "no joint connects body 'b' with its root body 'a'"),
        ({"joints": (HINGE, joint(ends=("b", "a")))}, "a loop in a module"),
        ({"joints": (joint(name="dock"),)}, "'dock' has a name that a docking"),
        ({"cells": ((0, 0, 0),)}, "cells and a positive cell_size are needed"),
        ({"cells": ((0, 0, 0),), "cell_size": np.inf}, "cells and a positive cell_size are needed"),
        ({"ports": {"1": port(), "x": port("x")}}, "ports 1 and x both have the number 1"),
        ({"ports": {"x": port()}}, "port '1' stands under the name 'x'"),
        ({"ports": {"2": port("2", 1), "1": port("1", 2)}}, "port 2 has the number 1, which is the name of"),
    ],
)
def test_what_is_no_module_is_an_error_that_names_the_type(changes, message):
    with pytest.raises(ModelError, match=f"module type '.*': .*{message}"):
        made(**changes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: modular.ModuleBody("a", -1.0), "the mass of body 'a' is -1 kg; it cannot be negative"),
        (lambda: modular.ModuleBody("a", 0.0, np.zeros(3), np.eye(3)), "has an inertia and no mass"),
        (lambda: joint(JointType.FLOATING, None), "joint 'j' is .*FLOATING"),
        (lambda: joint(axis=np.zeros(3)), "the axis of joint 'j'"),
        (lambda: joint(origin=np.full(3, np.nan)), "the origin of"),
        (lambda: joint(damping=-1.0), "the damping of joint 'j'"),
        (lambda: joint(limits=Limits(2, 1)), "is above its"),
        (lambda: joint(limits=Limits(effort=-1)), "limit 'effort'"),
        (lambda: joint(JointType.CONTINUOUS, limits=Limits(0, 1)), "revolute is needed"),
        (lambda: port(number=0), "the number of port 1 is 0; a whole number from 1"),
        (lambda: port(gender="x"), "the gender of port 1 is 'x'"),
        (lambda: port(x_module_port=md.algebra.DualQuaternion.identity * 2.0), "unit dual quaternion"),
        (lambda: modular.Shape("cone", (1.0, 1.0)), "a shape is a 'cone'; box, cylinder, sphere"),
        (lambda: modular.Shape("box", (1.0, 1.0)), "3 positive numbers are needed"),
        (lambda: modular.Shape("sphere", (1.0,), color=(0.0, 0.0, 0.0, 2.0)), "the colour of the sphere"),
    ],
)
def test_wrong_parts_are_errors(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_types_of_equal_data_are_equal():
    assert made() == made()
    assert hash(made()) == hash(made())
    assert pickle.loads(pickle.dumps(made())) == made()
    assert copy.deepcopy(made()) == made()
    assert made() != made(name="n")
    assert made() != made(bodies=BODIES | {"b": modular.ModuleBody("b", np.nextafter(1.0, 2.0))})
    assert made() != "m"


def test_a_broken_triangle_inequality_is_a_warning_at_the_line_that_makes_the_body():
    with pytest.warns(ModelWarning, match="the inertia of body 'a' breaks the triangle") as caught:
        modular.ModuleBody("a", 1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0]))
    assert caught[0].filename == __file__
