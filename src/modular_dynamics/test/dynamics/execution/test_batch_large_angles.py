"""Batches in single precision at large angles."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.tree_dynamics import assert_close


@pytest.mark.parametrize("angle", [1e3, 1e6, 1e12, 1e100])
def test_single_precision_at_large_angles(load_robot, angle):
    graph = load_robot("four_link")
    rng = np.random.default_rng(1)
    q, v, vdot = rng.normal(size=(3, 20, graph.nv))
    q *= angle
    double = md.inverse_dynamics_batch(graph, q, v, vdot)
    single = md.inverse_dynamics_batch(graph, q, v, vdot, dtype=np.float32)
    assert_close(single, double, 1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint8, np.float16, np.float32])
def test_single_precision_takes_angles_of_any_dtype(load_robot, kind):
    graph = load_robot("four_link")
    q = np.random.default_rng(1).uniform(0, 128, size=(20, graph.nq))
    if kind is np.int8:
        q = np.minimum(-q, -127.6).round()  # -128 has no opposite
    q, rates = q.astype(kind), np.ones((20, graph.nv))
    double = md.inverse_dynamics_batch(graph, q, rates, rates)
    single = md.inverse_dynamics_batch(graph, q, rates, rates, dtype=np.float32)
    assert_close(single, double, 1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_single_precision_refuses_angles_that_are_not_finite(load_robot, bad):
    graph = load_robot("four_link")
    q, rates = np.zeros((2, 20, 4))
    q[17, 2] = bad
    with pytest.raises(md.StateError, match=rf"row 17: q\[2\] of joint .* is {bad}"):
        md.inverse_dynamics_batch(graph, q, rates, rates, dtype=np.float32)


def _link(name):
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz="1 0 0"/><mass value="1"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}</link>'


LIMIT = '<limit lower="-9e9" upper="9e9" effort="1" velocity="1"/>'
MIMIC = f"""<robot name="pair"><link name="base"/>{_link("a")}{_link("b")}
<joint name="one" type="FIRST"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>{LIMIT}</joint>
<joint name="two" type="SECOND"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/>{LIMIT}
<axis xyz="0 1 0"/><mimic joint="one" multiplier="TIMES" offset="0.1"/></joint></robot>"""


@pytest.mark.parametrize("largest", [15.0, 900.0, 1e6])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("times", ["-2", "3", "0.3333333333333333", "100"])
@pytest.mark.parametrize("types", ["continuous continuous", "prismatic continuous", "continuous prismatic"])
def test_single_precision_of_mimic_joints_at_large_angles(types, times, kind, largest):
    first, second = types.split()
    graph = md.load_urdf(MIMIC.replace("FIRST", first).replace("SECOND", second).replace("TIMES", times))
    q = np.linspace(-largest, largest, 21).astype(kind)[:, None]
    rates = np.ones_like(q)
    double = md.inverse_dynamics_batch(graph, q, rates, rates)
    single = md.inverse_dynamics_batch(graph, q, rates, rates, dtype=np.float32)
    assert_close(single, double, 1e-5)


def test_mimic_joints_at_large_angles_are_refused_by_name():
    graph = md.load_urdf(
        MIMIC.replace("FIRST", "continuous").replace("SECOND", "continuous").replace("TIMES", "3")
    )
    q, v = np.full((20, 1), 1e6), np.zeros((20, 1))
    v[7], q[18] = 1e30, np.inf
    with pytest.raises(md.StateError, match=r"row 7 or soon after: .*too large for the dtype"):
        md.inverse_dynamics_batch(graph, q[:10], v[:10], v[:10], dtype=np.float32)
    with pytest.raises(md.StateError, match=r"row 8: q\[0\] of joint 'one' is inf"):
        md.inverse_dynamics_batch(graph, q[10:], v[10:], v[10:], dtype=np.float32)
