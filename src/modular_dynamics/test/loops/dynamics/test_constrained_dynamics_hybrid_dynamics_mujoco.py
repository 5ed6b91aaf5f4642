"""Hybrid dynamics of closed loops against MuJoCo: `connect` constraints and a rod that spins."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.mujoco_saddle_point import MujocoSaddlePoint
from helpers.robots.mjcf_text import four_bar
from modular_dynamics.loops.dynamics.solver import solver_of
from modular_dynamics.mjcf.source import compiled

#: Two motors turn a rocker by a rod with a ball at either end.
ROD = """<mujoco model="rod"><compiler angle="radian"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 0 1" armature="0.02"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
    <body name="arm" pos="0.3 0 0"><joint name="arm" axis="0 1 0.2" stiffness="3"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0.1 0"/>
      <body name="rod" pos="0.3 0.1 0"><joint name="ball" type="ball"/>
        <geom type="box" size="0.1 0.06 0.03" pos="0.15 0.05 0.02"/></body></body></body>
  <body name="rocker" pos="1 0.2 0.3"><joint name="rocker" axis="0.1 1 0.2"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.3"/></body>
  </worldbody>
  <equality><connect name="end" body1="rod" body2="rocker" anchor="0.4 0.1 0"/></equality>
  <actuator><motor joint="crank"/><motor joint="arm"/></actuator></mujoco>"""


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("text", [pytest.param(four_bar(), id="four-bar"), pytest.param(ROD, id="rod")])
def test_connect(text, count):
    model = compiled(text).model
    graph, rng = md.load_mjcf(model), np.random.default_rng(count)
    names = graph.independent_joint_names
    prescribed, independent = names[:count], solver_of(graph).independent_v
    q = md.close_loops(graph, 0.2 * rng.normal(size=len(names)))
    W = solver_of(graph).system.projection(q).W
    v = W @ rng.normal(size=W.shape[1])  # rods spin
    assert W.shape[1] == len(names) + (text == ROD)
    a, tau = rng.normal(size=(2, len(names)))
    known, all_a, all_tau = np.zeros(graph.nv, bool), np.zeros(graph.nv), np.zeros(graph.nv)
    known[independent[:count]], all_a[independent], all_tau[independent] = True, a, tau
    oracle = MujocoSaddlePoint(graph, model, q, v)
    assert oracle.open < 1e-10
    accelerations, torques = oracle.solve(known, all_a, all_tau)
    result = md.constrained_dynamics(graph, q, v, tau, prescribed=prescribed, a=a)
    assert np.abs(result.a - accelerations).max() <= 1e-9 * np.abs(accelerations).max()
    assert np.abs(result.tau - torques[independent]).max() <= 1e-9 * max(1.0, np.abs(torques).max())
