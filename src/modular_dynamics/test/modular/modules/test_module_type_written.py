"""Module types written as YAML and read back are equal, to the last bit."""

from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.random_examples.examples import some
from modular_dynamics import modular

SHIPPED = sorted((Path(modular.__file__).parent / "modules/shipped").glob("*.yaml"))
FILES = [*SHIPPED, Path(__file__).with_name("own_arm.yaml")]


def random_type(rng):
    """Two bodies with any poses, masses and inertias that a body can have."""

    def pose():
        quaternion = md.algebra.Quaternion(*rng.normal(size=4))
        return md.algebra.pose(quaternion * (1.0 / quaternion.norm()), rng.normal(size=3))

    def body(name):
        masses, at = rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, 3))
        inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, at, strict=True))
        shape = modular.Shape("box", tuple(rng.uniform(0.1, 1.0, 3).tolist()), pose())
        return modular.ModuleBody(name, float(masses.sum()), rng.normal(size=3), inertia, (shape,))

    joint = modular.ModuleJoint(
        "j",
        md.model.JointType.REVOLUTE,
        "a",
        "b",
        rng.normal(size=3),
        rng.normal(size=3),
        armature=float(rng.random()),
    )
    ports = {
        name: modular.Port(name, k + 1, "ab"[k], pose(), (0.1,), "mf"[k], "1e5")
        for k, name in enumerate(("1e5", "no"))
    }
    return modular.ModuleType(
        "010", {"a": body("a"), "b": body("b")}, (joint,), ports, "a", ((0, 1, -2),), 0.1
    )


@pytest.mark.parametrize("seed", some(range(20)))
def test_written_and_read_back_is_the_identity(seed):
    kind = random_type(np.random.default_rng(seed))
    assert modular.read_module_type(kind.to_yaml()) == kind


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_written_and_read_back_is_the_identity(file):
    kind = modular.read_module_type(file)
    assert modular.read_module_type(kind.to_yaml()) == kind
    assert "pose" not in kind.to_yaml()  # directions and angles stay what a person wrote
