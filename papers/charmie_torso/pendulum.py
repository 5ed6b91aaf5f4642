"""Section 5 of Goncalves et al.: a double pendulum in two codes, here the library and MuJoCo.

The paper gives no numbers: two uniform rods of 1 kg and 1 m, released from rest.
"""

import time
from collections.abc import Callable

import mujoco
import numpy as np

import modular_dynamics as md
from papers.charmie_torso.mujoco_loops import Array, parsed_without_shapes, rigid_model, specification
from papers.report import Report

START = 1.0, 0.5  # [rad] from hanging down; motions from much higher are chaotic
DURATION, STEP = 5.0, 1e-3  # [s] of the motion, and of MuJoCo's steps
EVERY = 10  # steps between compared states
REPEATED = 15  # the least processor time of so many runs counts
INTEGRATORS = {
    "semi-implicit Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
}


def urdf() -> str:
    """Return two rods as a URDF; they turn about y, and hang down at zero."""
    ixx = 1.0 / 12.0
    rod = (
        '<link name="{0}"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>'
        f'<inertia ixx="{ixx}" iyy="{ixx}" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="{1}" type="continuous"><parent link="{2}"/><child link="{0}"/>'
        '<origin xyz="0 0 {3}"/><axis xyz="0 1 0"/></joint>'
    )
    rods = rod.format("upper", "first", "world", 0), rod.format("lower", "second", "upper", -1)
    return f'<robot name="double_pendulum"><link name="world"/>{"".join(rods)}</robot>'


def add_pendulum(report: Report) -> None:
    """Compare motion, energy, torques and computing time."""
    table = f"Section 5: double pendulum, {DURATION:g} s from rest; the library's simulate beside MuJoCo"
    graph, model = md.load_urdf(urdf()), rigid_model(specification(parsed_without_shapes(urdf())))
    rest = np.zeros(2)
    times = np.linspace(0.0, DURATION, round(DURATION / STEP / EVERY) + 1)
    ours = md.simulate(graph, START, rest, None, DURATION, times=times)
    report.add(table, "energy, largest change [J]", np.ptp(ours.energy), within=1e-6)
    states = zip(ours.coordinates, ours.velocities, ours.accelerations, strict=True)
    torques = [_inverse(model, *state) for state in states]
    report.add(table, "torques that MuJoCo needs for this motion [N m]", np.abs(torques).max(), within=1e-8)
    seconds = _least_time(lambda: md.simulate(graph, START, rest, None, DURATION))
    report.add(table, "processor time of simulate (DOP853 at 1e-10) [ms]", 1e3 * seconds)
    for name, integrator in INTEGRATORS.items():
        model.opt.timestep, model.opt.integrator = STEP, integrator
        difference = np.abs(_steps(model, EVERY) - ours.coordinates).max()
        steps = f"MuJoCo's {name}, steps of {1e3 * STEP:g} ms"
        within = 1e-6 if name == "RK4" else None  # Euler's error is of first order
        report.add(table, f"{steps}: angles less ours [rad]", difference, within=within)
        theirs = _least_time(lambda: _steps(model, round(DURATION / STEP)))
        report.add(table, f"{steps}: processor time [ms]", 1e3 * theirs)
        report.add(table, "    our time over this one (paper: 1, beside CoppeliaSim)", seconds / theirs)


def _inverse(model: mujoco.MjModel, q: Array, v: Array, a: Array) -> Array:
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse


def _steps(model: mujoco.MjModel, count: int) -> Array:
    """Return the angles (k, 2) at the start and after every ``count`` steps."""
    data = mujoco.MjData(model)
    data.qpos[:] = START
    angles = [data.qpos.copy()]
    for _ in range(round(DURATION / STEP / count)):
        mujoco.mj_step(model, data, nstep=count)
        angles.append(data.qpos.copy())
    return np.array(angles)


def _least_time(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATED):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return min(seconds)
