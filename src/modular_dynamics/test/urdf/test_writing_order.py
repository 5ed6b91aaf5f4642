"""Joints in the order in which they are read back as they are, mimic joints and late carriers included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.read_back import read_back
from helpers.robots.urdf_text import joint, robot


@examples(60)
@given(seed=st.integers(0, 2**32 - 1))
def test_joints_and_q_keep_their_order_in_one_subsystem(seed):
    """A third of the joints mimic another one, and the document is in any order."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    joints = []
    for k in range(count):
        more = f'<mimic joint="j{rng.integers(0, k)}"/>' if k and rng.random() < 0.35 else ""
        parent = f"l{rng.integers(0, k + 1)}"
        joints.append(joint(f"j{k}", "revolute", parent, f"l{k + 1}", (1, 0, 0), axis=(0, 0, 1), more=more))
    links = [f'<link name="l{k}"/>' for k in range(count + 1)]
    text = robot("r", [*links, *(joints[k] for k in rng.permutation(count))])
    names = [f"j{k}" for k in range(count)]
    one = {"version": 1, "subsystems": [{"name": "all", "joints": names}]}
    with pytest.warns(md.ModelWarning):  # ends without mass
        graph = md.load_urdf(text, one)
    read = read_back(graph)
    assert read.joint_names == graph.joint_names
    assert [own.name for own in read.joints] == [own.name for own in graph.joints]
