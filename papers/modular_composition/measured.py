"""The branched robot under sin(2 pi t) rad/s in MuJoCo, and accelerations from its velocities (section IV).

The paper's robot moved in V-REP, by motors that follow a velocity. Here each motor is exact: its torque is
M (v_d - v) / h + bias, so that the velocity at the end of a step of h is the desired one, v_d.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy import signal

from papers.charmie_torso.mujoco_loops import parsed_without_shapes, rigid_model, specification

Array = NDArray[np.float64]
CUTOFF, ORDER = 10.0, 6  # [Hz] of the discrete low-pass Butterworth filter, and its order
RATIO = 2  # of the two steps of Richardson's extrapolation
ACCURACY = 2  # order of the difference that it extrapolates


@dataclass(frozen=True, eq=False)
class Record:
    """What is read from the simulator after each of m steps.

    Attributes:
        names: of the n joints, in the order of the columns. times (m,) [s]. q, v (m, n) [rad, rad/s].
        acted (m, n): torques that acted over the step before [N m]. applied (m, n): torques that the motors
            apply from now on, over the next step.
    """

    names: tuple[str, ...]
    times: Array
    q: Array
    v: Array
    acted: Array
    applied: Array


def simulate(urdf: str, duration: float = 8.0, step: float = 1e-3) -> Record:
    """Return the record of all joints at sin(2 pi t) rad/s, from rest; times and the step in [s]."""
    model = rigid_model(specification(parsed_without_shapes(urdf)))
    model.opt.timestep = step
    data, M = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    count = round(duration / step)
    q, v, tau = (np.empty((count + 1, model.nv)) for _ in range(3))
    for k in range(count + 1):
        q[k], v[k] = data.qpos, data.qvel
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, M)
        desired = np.sin(2.0 * np.pi * (k + 1) * step)
        tau[k] = M @ (desired - data.qvel) / step + data.qfrc_bias
        data.qfrc_applied[:] = tau[k]
        mujoco.mj_step(model, data)
    names = tuple(model.joint(k).name for k in range(model.njnt))
    times = step * np.arange(1, count + 1)
    return Record(names, times, q[1:], v[1:], tau[:-1], tau[1:])


def simulate_servos(urdf: str, gain: float = 100.0, duration: float = 8.0, step: float = 1e-3) -> Record:
    """Return the record with MuJoCo's own velocity motors, gain (v_d - v) [N m s/rad], integrated implicitly.

    ``acted`` is the motor's torque at the velocity that the step ends with, which acts in an implicit step;
    ``applied`` is what MuJoCo reports after it, the torque at the velocity that the step began with.
    """
    spec = specification(parsed_without_shapes(urdf))
    for joint in spec.joints:
        motor = spec.add_actuator()
        motor.target, motor.trntype = joint.name, mujoco.mjtTrn.mjTRN_JOINT
        motor.gainprm[0] = gain
        motor.biastype, motor.biasprm[2] = mujoco.mjtBias.mjBIAS_AFFINE, -gain
    model = rigid_model(spec)
    model.opt.timestep, model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data, count = mujoco.MjData(model), round(duration / step)
    q, v, acted, reported = (np.empty((count, model.nv)) for _ in range(4))
    for k in range(count):
        data.ctrl[:] = np.sin(2.0 * np.pi * (k + 1) * step)
        mujoco.mj_step(model, data)
        q[k], v[k], reported[k] = data.qpos, data.qvel, data.qfrc_actuator
        acted[k] = gain * (data.ctrl - data.qvel)
    names = tuple(model.joint(k).name for k in range(model.njnt))
    return Record(names, step * np.arange(1, count + 1), q, v, acted, reported)


def accelerations(v: Array, step: float, zero_phase: bool = True) -> Array:
    """Return accelerations (m, n) of velocities (m, n) that are sampled each ``step`` [s].

    The discrete Butterworth filter, forwards and backwards (no delay) or only forwards (causal), then the
    three-point backward difference g(h) = (3 x_n - 4 x_(n-1) + x_(n-2)) / (2 h), extrapolated by Richardson:
    (s^p g(h) - g(s h)) / (s^p - 1) with s = RATIO and p = ACCURACY. At the start, where samples of before are
    missing, the velocity is continued by its point reflection.
    """
    sections = signal.butter(ORDER, CUTOFF, fs=1.0 / step, output="sos")
    filtered = (signal.sosfiltfilt if zero_phase else signal.sosfilt)(sections, v, axis=0)
    before = 2 * RATIO
    extended = np.concatenate([2.0 * filtered[0] - filtered[before:0:-1], filtered])

    def difference(stride: int) -> Array:
        x, last = extended, len(extended)
        now, one, two = (x[before - k * stride : last - k * stride] for k in range(3))
        return (3.0 * now - 4.0 * one + two) / (2.0 * stride * step)

    weight = RATIO**ACCURACY
    return (weight * difference(1) - difference(RATIO)) / (weight - 1)


def multiple_correlation(one: Array, other: Array) -> Array:
    """Return the coefficients of multiple correlation (n,) of two sets of waveforms (m, n) (Ferrari 2010).

    sqrt(1 - [sum (Y_pf - mean_f)^2 / (F (P - 1))] / [sum (Y_pf - mean)^2 / (P F - 1)]) over P = 2 waveforms
    of F = m values; 0 where the radicand is negative.
    """
    waves = np.stack([one, other])
    count, length = waves.shape[:2]
    within = ((waves - waves.mean(axis=0)) ** 2).sum(axis=(0, 1)) / (length * (count - 1))
    overall = ((waves - waves.mean(axis=(0, 1))) ** 2).sum(axis=(0, 1)) / (count * length - 1)
    return np.sqrt(np.maximum(1.0 - within / overall, 0.0))
