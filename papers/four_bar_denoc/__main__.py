"""`make paper-kumar`: the four-bar's torques and motion; Figures 4, 5 and 6, equations 9 to 23, animation.

python -m papers.four_bar_denoc [--lengths CRANK COUPLER OUTPUT GROUND] [--coupler-mass KG ...] [--help]
"""

import argparse

import numpy as np
from scipy.integrate import solve_ivp

import modular_dynamics as md
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.four_bar_denoc.animation import animate
from papers.four_bar_denoc.bars import Array, Bars, by_energy
from papers.four_bar_denoc.denoc import FourBar
from papers.four_bar_denoc.motions import JOINTS, Motion, turn
from papers.four_bar_denoc.pictures import draw_inverse, draw_masses, draw_motion
from papers.report import Report

SPEED = 45.0 * 2.0 * np.pi / 60.0  # [rad/s] of the crank
#: Figure 5, of the public example: largest torques [N m] by masses [kg], by an independent code.
PEAKS = {1.0: 2.05, 3.0: 3.00, 6.0: 4.43, 9.0: 5.86}
STATE = 0.3, 3.0, -2.0  # of the crank, at which the equations are shown [rad, rad/s, rad/s^2]
DURATION = 2.0  # [s] of the motion from rest at START [rad]
START = 0.3
EXACT = 1e-9  # relative; codes that share nothing
TURN = "Figures 4, 6(a): torque over a turn at 45 rpm, largest difference over the largest torque"
MASS = "Figure 5: the larger the mass, the larger the torque"
TIGHT = {"rtol": 1e-11, "atol": 1e-11}


def main() -> int:
    """Compare, draw, print; return 1 where a number is out of its bound."""
    title = (
        "Kumar, Vantmuri, Chittawadigi & Saha, "
        "Dynamic analyses of four-bar mechanism in MechAnalyzer software"
    )  # fmt: skip
    options = argparse.ArgumentParser(add_help=False)
    names = "CRANK", "COUPLER", "OUTPUT", "GROUND"
    options.add_argument("--lengths", nargs=4, type=float, metavar=names, help="[m]; default: .05 .1 .13 .15")
    about = "[kg] of the coupler, one curve of Figure 5 for each; default: 1 3 6 9"
    options.add_argument("--coupler-mass", nargs="+", type=float, default=[*PEAKS], metavar="KG", help=about)
    report = Report.from_command_line("four_bar_denoc", title, __doc__.splitlines()[0], options=[options])
    given = options.parse_known_args()[0]
    try:
        bars = Bars().with_lengths(*given.lengths) if given.lengths else Bars()
        couplers = {mass: bars.with_coupler(mass) for mass in given.coupler_mass}
    except md.ModelError as error:
        raise SystemExit(f"python -m papers.four_bar_denoc: {error}") from None
    angles = np.linspace(0.0, 2.0 * np.pi, 361)
    _equations(report, bars)
    torques = [_torques(bars, angles, gravity) for gravity in (9.81, 0.0)]
    for name, found in zip(("with gravity", "without gravity"), torques, strict=True):
        for other in ("DeNOC", "energy", "MuJoCo"):
            difference = np.abs(found[other] - found["library"]).max() / np.abs(found["library"]).max()
            report.add(TURN, f"{other}, {name}", difference, within=EXACT)
    curves = {mass: _by_library(one, angles, 9.81) for mass, one in couplers.items()}
    for mass, curve in curves.items():
        what, largest = f"coupler of {mass:g} kg, largest torque", np.abs(curve).max()
        report.add(MASS, f"{what} [N m]", largest)
        if mass in PEAKS and not given.lengths:
            what = f"{what}, less an independent code's {PEAKS[mass]:.2f} N m"
            report.add(MASS, what, largest - PEAKS[mass], within=0.005)
    round_once, released = turn(bars, angles, SPEED), _motion(report, bars)
    report.write_csv("turn.csv", round_once.columns())
    report.write_csv("motion.csv", released.columns())
    report.notes.append(
        f"{bars}.\nThe paper prints no numbers: by default lengths and masses are the laboratory's public\n"
        "example. Reference of the motion: the mechanism's one equation of motion by energies, integrated\n"
        "to a tolerance of 1e-11."
    )
    report.pictures += [
        draw_inverse(report.out / "figure_4.png", angles, torques),
        draw_masses(report.out / "figure_5.png", angles, curves),
        draw_motion(report.out / "figure_6.png", released, "Released from rest: the motion under gravity"),
        draw_motion(report.out / "turn.png", round_once, "A turn at 45 rpm, with gravity"),
        animate(report.out / "animation.gif", bars, round_once),
    ]
    return report.finish()


def _by_library(bars: Bars, angles: Array, gravity: float) -> Array:
    """Return the crank's torques (m,) at constant speed, by the library's closed loops."""
    graph = md.load_urdf(bars.urdf(), gravity=(0.0, 0.0, -gravity))
    columns = angles[:, None], np.full((len(angles), 1), SPEED), np.zeros((len(angles), 1))
    return md.inverse_dynamics(graph, *columns)[:, 0]


def _torques(bars: Bars, angles: Array, gravity: float) -> dict[str, Array]:
    """Return the crank's torques at constant speed by four methods: library, DeNOC, energy, MuJoCo."""
    denoc, peer = bars.denoc(gravity), MujocoLoops(bars.urdf(), ["J1"])
    peer.model.opt.gravity[:] = 0.0, 0.0, -gravity
    start = dict(zip(JOINTS, denoc.close(angles[0]), strict=True))
    peer.data.qpos[:] = [start[name] for name in peer.names]  # from where its loops close
    found = {"library": _by_library(bars, angles, gravity)}
    found["DeNOC"] = np.array([denoc.inverse_dynamics(denoc.close(t), SPEED, 0.0)[0] for t in angles])
    terms = [by_energy(bars, t, gravity) for t in angles]
    found["energy"] = np.array([half_slope * SPEED**2 + weight for _, half_slope, weight in terms])
    found["MuJoCo"] = np.array([_by_mujoco(peer, t) for t in angles])
    return found


def _by_mujoco(peer: MujocoLoops, angle: float) -> float:
    peer(np.array([angle]), np.array([SPEED]), np.zeros(1))
    return float(peer.tau[0])


def _equations(report: Report, bars: Bars) -> None:
    """Add equations 9 to 23 at one state: values, and residuals of those that can be wrong."""
    table = f"Equations at theta2 = {STATE[0]:g} rad, {STATE[1]:g} rad/s, {STATE[2]:g} rad/s^2"
    denoc, graph = bars.denoc(), md.load_urdf(bars.urdf())
    theta = denoc.close(STATE[0])
    rates = denoc.rates(theta, STATE[1])
    tau, force, accelerations = denoc.inverse_dynamics(theta, *STATE[1:])
    first, second = denoc.jacobians(theta)
    solution = md.InverseDynamics(graph).solve(*([x] for x in STATE))
    report.add(table, "loop closure: theta4, theta3 [rad]", _words(theta[1:]))
    _matrices(report, table, denoc, graph.tree, theta, rates)
    report.add(table, "(19) lambda on the crank at J2 [N]", _words(force))
    report.add(table, "(20) torque of the crank [N m]", tau)
    report.add(table, "(20) less the library's torque [N m]", tau - solution.tau[0], within=EXACT)
    residual = np.abs(first @ rates[:1] - second @ rates[1:]).max()
    report.add(table, "(21) residual of the velocities [m/s]", residual, within=1e-12)
    back, same = denoc.forward_dynamics(theta, rates, tau)
    report.add(table, "(22), (23) accelerations from that torque, less the given [rad/s^2]",
               np.abs(back - accelerations).max(), within=1e-8)  # fmt: skip
    report.add(table, "(22), (23) lambda, less that of (19) [N]", np.abs(same - force).max(), within=EXACT)
    energy = by_energy(bars, STATE[0])
    equation = energy[0] * STATE[2] + energy[1] * STATE[1] ** 2 + energy[2]
    report.add(table, "torque less that by energies [N m]", tau - equation, within=EXACT)


def _matrices(
    report: Report, table: str, denoc: FourBar, tree: md.SubsystemGraph, theta: Array, rates: Array
) -> None:
    """Add equations 9 to 18 and the Jacobians below 20: values, and beside the library's open tree."""
    names = [joint.child_link for joint in tree.joints]
    plane = md.frame_poses(tree, np.zeros(3), names[:1])[
        0, :3, :3
    ]  # the axes of equations, in the root link's
    along = plane.T @ md.frame_poses(tree, theta, names)[:, :3, 0].T  # each link's x axis (3, links)
    J = [np.kron(np.eye(2), plane.T) @ md.jacobian(tree, theta, name) for name in names]
    inertia, gravity = md.mass_matrix(tree, theta), md.gravity_torque(tree, theta)
    coriolis = md.nonlinear_effects(tree, theta, rates) - gravity

    def twist(velocity: Array, link: int, distance: float) -> Array:
        """Return (omega, v) at a point of a link's x axis, of [v; omega] at the link's origin."""
        omega = velocity[3:]
        return np.concatenate([omega, velocity[:3] + np.cross(omega, distance * along[:, link])])

    subsystems = ("I", slice(0, 1), [denoc.crank]), ("II", slice(1, 3), [denoc.output, denoc.coupler])
    for (number, own, links), end in zip(subsystems, denoc.jacobians(theta), strict=True):
        (lower, diagonal), _ = denoc.complement(links, theta[own], rates[own])
        if number == "II":
            report.add(table, "(13) B_21 of N_l, angular to linear", _words(lower[9:, :3].ravel()))
        p = [_words(diagonal[6 * i : 6 * i + 6, i]) for i in range(len(links))]
        report.add(table, f"(12), (15) p_i on the diagonal of N_d, subsystem {number}", ";  ".join(p))
        twists = (lower @ diagonal @ rates[own]).reshape(-1, 6)
        found = [twist(J[own.start + i] @ rates, own.start + i, link.centre) for i, link in enumerate(links)]
        what = f"(9) t = N_l N_d theta' less the library's twists, subsystem {number}"
        report.add(table, what, np.abs(twists - found).max(), within=1e-12)
        terms = denoc.subsystem(links, theta[own], rates[own])
        for name, value in zip(
            ("(16) I [kg m^2]", "(17) C theta' [N m]", "(18) tau_g [N m]"), terms, strict=True
        ):
            report.add(table, f"{name}, subsystem {number}", _words(value.ravel()))
        peers = inertia[own, own], coriolis[own], -gravity[own]
        largest = max(np.abs(one - other).max() for one, other in zip(terms, peers, strict=True))
        report.add(table, f"(16) to (18) less the library's tree, subsystem {number}", largest, within=1e-12)
        report.add(table, f"below (20): J^{number} [m]", _words(end.ravel()))
        last = own.stop - 1
        tip = [twist(column, last, links[-1].length)[3:5] for column in J[last][:, own].T]
        report.add(
            table, f"J^{number} less the library's", np.abs(end - np.transpose(tip)).max(), within=1e-12
        )


def _words(numbers: Array) -> str:
    return "  ".join(f"{x:.5g}" for x in numbers)


def _motion(report: Report, bars: Bars) -> Motion:
    table = f"Figure 6(b): released at theta2 = {START:g} rad, {DURATION:g} s; the crank's largest difference"
    times = np.linspace(0.0, DURATION, 401)
    denoc, graph = bars.denoc(), md.load_urdf(bars.urdf())

    def by_energies(_: float, state: Array) -> list[float]:
        inertia, half_slope, weight = by_energy(bars, state[0])
        return [state[1], -(half_slope * state[1] ** 2 + weight) / inertia]

    def by_equation_22(_: float, state: Array) -> Array:
        return np.concatenate([state[3:], denoc.forward_dynamics(state[:3], state[3:], 0.0)[0]])

    reference = solve_ivp(by_energies, (0.0, DURATION), [START, 0.0], "DOP853", times, **TIGHT).y
    ours = md.simulate(graph, [START], [0.0], None, DURATION, times=times)
    report.add(table, "library [rad]", np.abs(ours.coordinates[:, 0] - reference[0]).max(), within=1e-6)
    report.add(table, "library, loops open by at most [m]", ours.residual.max(), within=1e-10)
    start = np.concatenate([denoc.close(START), np.zeros(3)])
    runs = {
        "(22) by DOP853 at 1e-11": {"method": "DOP853", **TIGHT},
        "(22) by RK45 at SciPy's tolerances": {"method": "RK45"},
    }
    for name, options in runs.items():
        run = solve_ivp(by_equation_22, (0.0, DURATION), start, t_eval=times, **options).y
        within = 1e-5 if "1e-11" in name else None
        report.add(table, f"{name} [rad]", np.abs(run[0] - reference[0]).max(), within=within)
        tips = [_opening(bars, theta) for theta in run[:3].T]
        report.add(table, f"{name}, loop open by at most [m]", max(tips))
    pairs = [*zip(ours.coordinates, ours.velocities, strict=True)]
    multipliers = np.array([denoc.forward_dynamics(*pair, 0.0)[1] for pair in pairs])
    rows = -ours.multipliers[:, 1:3] @ [1.0, 1j]  # the library's, on the coupler, along the crank's axes
    turned = rows * np.exp(1j * ours.coordinates[:, 0])
    difference = np.abs(multipliers @ [1.0, 1j] - turned).max() / np.abs(multipliers).max()
    report.add(table, "library's multipliers less lambda of (22), over the largest", difference, within=EXACT)
    return Motion(
        times,
        ours.coordinates,
        ours.velocities,
        ours.accelerations,
        multipliers,
        ours.tau[:, 0],
        reference[0],
    )


def _opening(bars: Bars, theta: Array) -> float:
    """Return the distance [m] between crank's and coupler's ends at J2."""
    end = bars.ground + bars.output.length * np.exp(1j * theta[1])
    end += bars.coupler.length * np.exp(1j * (theta[1] + theta[2]))
    return float(abs(bars.crank.length * np.exp(1j * theta[0]) - end))


if __name__ == "__main__":
    raise SystemExit(main())
