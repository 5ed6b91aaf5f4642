"""Section II with black boxes: sensors in place of masses, and in place of joints, exact and with noise."""

import numpy as np
from lxml import etree

import modular_dynamics as md
from papers.modular_composition.measured import Array
from papers.modular_composition.pictures import draw_errors
from papers.modular_composition.sensors import (
    BAND,
    SLOPE_BAND,
    Noise,
    Readings,
    SimulatedSensors,
    compose,
    without_joints,
)
from papers.report import Report

ROUNDING = 1e-12  # relative to the largest torque
BOX = "subsystem_6"  # of the robot's middle: it hangs on subsystem 2, and carries 7, 8 and 9
LEVELS = 1.0, 10.0, 100.0  # of noise, times that of the sensors
DRAWS = 4  # of noise, at each state and level
PREDICTED = 0.15  # relative; about three standard deviations of a mean over all states and draws
STRIDE = 5  # steps of the record from one reading of the gyroscope to the next


def black_boxes(
    report: Report,
    urdf: str,
    graph: md.SubsystemGraph,
    states: tuple[Array, Array, Array],
    chosen: Array,
    noise: Noise,
) -> None:
    """Make each subsystem but the first a black box in turn: a sensor gives the wrench at its start."""
    table = f"Black boxes: a sensor in place of masses; largest error of other joints at {len(chosen)} states"
    random = np.random.default_rng(0)
    wholes = [md.compose(graph, *(x[k] for x in states)) for k in chosen]
    exact, noisy = [], []
    for i, box in enumerate(graph.subsystems[1:], 1):
        masked = md.load_urdf(_with_black_box(urdf, box.name))
        for k, whole in zip(chosen, wholes, strict=True):
            wrench = whole.connection_wrenches[i].vec6()
            for found, measured in ((exact, wrench), (noisy, wrench + random.normal(0.0, noise.wrench))):
                boxes = {box.name: measured}
                tau = md.inverse_dynamics(masked, *(x[k] for x in states), black_box_wrenches=boxes)
                found.append(np.nanmax(np.abs(tau - whole.tau)))  # NaN inside the box
    report.add(table, "exact wrenches [N m]", max(exact), within=ROUNDING * np.abs(wholes[0].tau).max())
    report.add(table, f"with noise of {noise.force:g} N and {noise.moment:g} N m [N m]", max(noisy))


def _with_black_box(urdf: str, name: str) -> str:
    robot = etree.fromstring(urdf.encode())
    robot.find(f".//subsystem[@name='{name}']").set("black_box", "true")
    return etree.tostring(robot, encoding="unicode")


def box_without_joints(
    report: Report,
    urdf: str,
    graph: md.SubsystemGraph,
    times: Array,
    states: tuple[Array, Array, Array],
    chosen: Array,
    noise: Noise,
) -> None:
    """Make BOX a black box whose joints the library does not know: a wrench at its start, IMUs at its ends.

    Torques are compared with Pinocchio's of the whole robot, errors by noise with its linear prediction.
    """
    table = f"Black boxes: {BOX} without its joints; errors of all other torques at {len(chosen)} states"
    boxed, sensors = without_joints(urdf, graph, BOX), SimulatedSensors(urdf, graph, BOX)
    own = [graph.joint_names.index(name) for name in boxed.joint_names]
    at = [tuple(x[k] for x in states) for k in chosen]
    expected = np.array([sensors.torques(*state)[own] for state in at])
    readings = [sensors.read(*state) for state in at]
    predicted = np.array([sensors.deviations(*state, noise)[own] for state in at])
    beyond = [boxed.joint_names.index(name) for name in sensors.beyond]
    before = [k for k in np.flatnonzero(predicted.max(axis=0)) if k not in beyond]
    groups = {"before the box": before, "beyond it": beyond}

    def errors(given: list[Readings]) -> Array:
        pairs = zip(at, given, strict=True)
        found = [compose(boxed, BOX, *(x[own] for x in state), one).tau for state, one in pairs]
        return np.array(found) - expected

    report.add(table, "joints that the library knows, of 38", boxed.nv)
    bound = ROUNDING * np.abs(expected).max()
    report.add(table, "exact sensors, largest [N m]", np.abs(errors(readings)).max(), within=bound)
    slopes = _filtered_slopes(sensors, times, states, chosen)
    gyroscopes = [_with_slopes(one, slope) for one, slope in zip(readings, slopes, strict=True)]
    report.add(
        table,
        "exact, derivative of ω by md.filtered_accelerations, largest [N m]",
        np.abs(errors(gyroscopes)).max(),
    )
    random, measured = np.random.default_rng(0), dict[float, Array]()
    noisy = [one.with_noise(random, noise, 1.0) for one in readings]
    alone = [sensors.torques_beyond(*state, one) for state, one in zip(at, noisy, strict=True)]
    difference = np.abs((expected + errors(noisy))[:, beyond] - alone).max()
    what = "noise x 1: less Pinocchio's, of each subsystem alone, at the same readings, largest [N m]"
    report.add(table, what, difference, within=bound)
    for level in LEVELS:
        draws = [errors([one.with_noise(random, noise, level) for one in readings]) for _ in range(DRAWS)]
        measured[level] = np.sqrt(np.mean(np.square(draws), axis=(0, 1)))
        for where, joints in groups.items():
            what = f"noise x {level:g}, joints {where}"
            rms = np.sqrt(np.mean(np.square(draws)[..., joints]))
            report.add(table, f"{what}, root mean square [N m]", rms)
            ratios = np.array(draws)[..., joints] / (level * predicted[:, joints])
            relative = np.sqrt(np.mean(ratios**2)) - 1.0
            report.add(table, f"{what}, measured over predicted, less 1", relative, within=PREDICTED)
    report.notes.append(_about_noise(noise))
    shown = before + beyond
    names = [boxed.joint_names[k] for k in shown]
    rms = np.sqrt(np.mean(predicted[:, shown] ** 2, axis=0))
    levels = {level: values[shown] for level, values in measured.items()}
    report.pictures.append(draw_errors(report.out / "black_box.png", BOX, names, levels, rms))


def _about_noise(noise: Noise) -> str:
    omega, specific, slope = noise.imu[[0, 3, 6]]
    return (
        f"Noise x 1, standard deviations: force/torque sensor {noise.force:g} N, {noise.moment:g} N m; IMU "
        f"{omega:.2g} rad/s, {specific:.2g} m/s^2,\n{slope:.2g} rad/s^2: {noise.gyroscope:g} deg/s/sqrt(Hz) "
        f"and {noise.accelerometer:g} ug/sqrt(Hz) over {BAND:g} Hz, the derivative of the angular velocity\n"
        f"over {SLOPE_BAND:g} Hz. Predicted to first order, by Pinocchio: before the box by J^T, beyond it "
        "by the mass matrix\nand d tau / d omega of each subsystem with a free base."
    )


def _filtered_slopes(
    sensors: SimulatedSensors, times: Array, states: tuple[Array, Array, Array], chosen: Array
) -> list[dict[str, Array]]:
    """Return derivatives of omega (3,) by IMU at the chosen states, from gyroscopes over the whole record."""
    rows = range(0, len(times), STRIDE)
    read = [sensors.read(*(x[k] for x in states)).imus for k in rows]
    slopes = {
        name: md.filtered_accelerations(times[rows], v=[imus[name][:3] for imus in read]) for name in read[0]
    }
    return [{name: slope[k // STRIDE] for name, slope in slopes.items()} for k in chosen]


def _with_slopes(readings: Readings, slopes: dict[str, Array]) -> Readings:
    imus = {name: np.concatenate([imu[:6], slopes[name]]) for name, imu in readings.imus.items()}
    return Readings(readings.wrench, imus)
