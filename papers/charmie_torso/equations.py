"""Equations (1), (2) and (5) to (25) of Goncalves et al., term by term, at one state of the torso.

Motions, points and the loads of arms and head are MuJoCo's; of the library nothing is used. Symbols and signs
are the paper's: arms lead from a force's point to the centre of mass, and forces of body i - 1 on body i
stand on the left. misprints.md lists what is corrected.
"""

from collections.abc import Mapping

import numpy as np
from lxml import etree

from modular_dynamics.loops import SharedReactions
from papers.charmie_torso.mujoco_loops import Array, MujocoLoops

SIDES = "r", "l"
#: What each equation gives, and its unit.
GIVES = {
    "5": ("Ft of s5", "N"),
    "6": ("Fy, Fz of s5", "N"),
    "7": ("μx that act5 has to bear about j5", "N m"),
    "8": ("Ft of act5", "N"),
    "9": ("Fy, Fz of act5", "N"),
    "10": ("Fy of j5", "N"),
    "11": ("Fz of j5", "N"),
    "12": ("Fx of j5 and act5, each", "N"),
    "13": ("μy of j5 and act5, each", "N m"),
    "14": ("μz of j5 and act5, each", "N m"),
    "15": ("Ft of sr4, sl4", "N"),
    "16": ("Fx, Fz of sr4; Fx, Fz of sl4", "N"),
    "17": ("Fz of srt4, slt4", "N"),
    "18": ("Fx, Fz of jr4; Fx, Fz of jl4", "N"),
    "19": ("Fz of act4", "N"),
    "20": ("Fy of act4", "N"),
    "21": ("Fx of j4", "N"),
    "22": ("Fy of j4", "N"),
    "23": ("μz of srt4 and slt4, each", "N m"),
    "24": ("μx of j4", "N m"),
    "25": ("μy of j4", "N m"),
    "1": ("f of body 2 on body 3", "N"),
    "2": ("μ of body 2 on body 3", "N m"),
}
#: Misprints that change values of GIVES.
SLIPS = {
    "8": "(7) lacks body 5's own moment about j5",
    "18": "(18) adds magnitudes",
    "24": "(24) has e4x in place of slt4's own arm along y",
    "25": "(25) has e4y in place of slt4's own arm along x",
}
Values = dict[str, Array]
Laws = Mapping[str, tuple[float, ...]]  # of springs: initial force [N], stiffness [N/m], free length [m]


def solved(urdf: str, peer: MujocoLoops) -> tuple[Values, Values]:
    """Return each equation's values [N or N m] at the state of ``peer``, and those as printed (SLIPS)."""
    laws = {}
    for spring in etree.fromstring(urdf.encode()).iter("spring"):
        numbers = (spring.get(key) for key in ("initial_force", "stiffness", "free_length"))
        laws[spring.get("name")] = tuple(map(float, numbers))
    values: Values = {}
    printed: Values = {}
    _body_5(peer, laws, values, printed)
    _body_4(peer, laws, values, printed)
    _body_3(peer, values)
    return values, printed


def by_rules(shared: SharedReactions, peer: MujocoLoops) -> Values:
    """Return the same by the library's rules: its own kinematics, each step of section 4 a balance."""
    wrenches, part = shared.wrenches, shared.components
    j5, act5, j4, act4 = (wrenches[name] for name in ("j5", "act5", "j4", "act4"))
    turn = peer.rotation("body_3").T
    springs = [turn @ peer.rotation(f"body_4s{side}") @ wrenches[f"s{side}4"][:3] for side in SIDES]
    values = {
        "5": part["s5", "pull"],
        "6": wrenches["s5"][1:3],
        "8": part["act5", "push"],
        "9": act5[1:3],
        "10": j5[1],
        "11": j5[2],
        "12": [j5[0], act5[0]],
        "13": [j5[4], act5[4]],
        "14": [j5[5], act5[5]],
        "15": [part[f"s{side}4", "pull"] for side in SIDES],
        "16": np.ravel([spring[[0, 2]] for spring in springs]),
        "17": [part[f"s{side}t4", "Fz"] for side in SIDES],
        "18": np.ravel([wrenches[f"j{side}4"][[0, 2]] for side in SIDES]),
        "19": act4[2],
        "20": act4[1],
        "21": j4[0],
        "22": j4[1],
        "23": [part[f"s{side}t4", "Mz"] for side in SIDES],
        "24": j4[3],
        "25": j4[4],
        "1": wrenches["j3"][:3],
        "2": wrenches["j3"][3:],
    }
    return {number: np.atleast_1d(value) for number, value in values.items()}


def by_mujoco(peer: MujocoLoops) -> Values:
    """Return those that equilibrium alone determines, by MuJoCo's constraint forces."""
    tau = dict(zip(peer.independent, peer.tau, strict=True))
    act5, act4 = (tau[f"act{k}"] * _actuator(peer, k) for k in (5, 4))
    pitch = peer.names.index("torso_pitch")  # about -x
    held = peer.data.efc_J.reshape(-1, peer.model.nv)[:, pitch] @ peer.data.efc_force
    j5, base = peer.reaction("body_5"), peer.reaction("body_3")
    hinges = []
    for side in SIDES:
        lever = f"body_4s{side}"
        hinges.append(peer.rotation("body_3").T @ peer.rotation(lever) @ peer.reaction(lever)[:3])
    values = {
        "5": peer.tensions["s5"],
        "7": -held,
        "8": tau["act5"],
        "9": act5[1:],
        "10": j5[1],
        "11": j5[2],
        "15": [peer.tensions[f"s{side}4"] for side in SIDES],
        "18": np.ravel([hinge[[0, 2]] for hinge in hinges]),
        "19": act4[2],
        "20": act4[1],
        "1": base[:3],
        "2": base[3:],
    }
    return {number: np.atleast_1d(value) for number, value in values.items()}


def _actuator(peer: MujocoLoops, k: int) -> Array:
    """Return the direction of act4 or act5 in the axes of the body that it holds."""
    line = peer.rotation(f"body_{k}").T @ (peer.point(f"act{k}_pin") - peer.point(f"act{k}_pivot"))
    return line / np.linalg.norm(line)


def _spring(
    peer: MujocoLoops, law: tuple[float, ...], name: str, links: tuple[str, str]
) -> tuple[float, Array]:
    """Return a spring's force, (5) or (15), and its direction in world axes, from the first link's end."""
    first, second = (peer.point(name, link) for link in links)
    length = float(np.linalg.norm(second - first))
    initial, stiffness, free = law
    return initial + stiffness * (length - free), (second - first) / length


def _inertial(peer: MujocoLoops, body: str) -> tuple[Array, Array, Array, Array]:
    """Return a body's axes and centre of mass, and in its axes m p'' less weight, and I w' + w x I w."""
    Q, (centre, force, moment) = peer.rotation(body), peer.inertial_load(body)
    return Q, centre, Q.T @ force, Q.T @ moment


def _body_5(peer: MujocoLoops, laws: Laws, values: Values, printed: Values) -> None:
    Q, centre, mp, H = _inertial(peer, "body_5")
    loads = []  # of the arms and the head: force and moment, in body 5's axes by (3), and arm
    for name in peer.children("body_5"):
        turned, reaction = Q.T @ peer.rotation(name), peer.reaction(name)
        at = Q.T @ (centre - peer.origin(name))
        loads.append((turned @ reaction[:3], turned @ reaction[3:], at))
    points = peer.point("s5", "body_5"), peer.point("act5_pin"), peer.point("torso_pitch")
    e, d, f = (Q.T @ (centre - point) for point in points)
    Ft, line = _spring(peer, laws["s5"], "s5", ("body_5", "body_4"))  # (5)
    line = Q.T @ line
    beta = np.arctan2(line[1], line[2])
    s5 = Ft * np.array([0.0, np.sin(beta), np.cos(beta)])  # (6)
    line = _actuator(peer, 5)
    alpha = np.arctan2(line[1], line[2])
    mu = H[0] - s5[1] * (e[2] - f[2]) + s5[2] * (e[1] - f[1])
    for F, M, a in loads:
        mu += F[1] * (a[2] - f[2]) - F[2] * (a[1] - f[1]) + M[0]  # (7)
    own = f[1] * mp[2] - f[2] * mp[1]  # missing in print
    lever = np.sin(alpha) * (d[2] - f[2]) - np.cos(alpha) * (d[1] - f[1])
    printed["8"] = np.array([mu / lever])
    mu += own
    push = mu / lever  # (8)
    act5, j5 = push * np.array([0.0, np.sin(alpha), np.cos(alpha)]), np.zeros(3)  # (9)
    total = mp + sum(F for F, _, _ in loads)
    j5[1:] = (total - act5 - s5)[1:]  # (10), (11)
    j5[0] = act5[0] = total[0] / 2.0  # (12)
    y, z = H[1], H[2]
    for F, r in ((s5, e), (act5, d), (j5, f)):
        y += -F[2] * r[0] + F[0] * r[2]  # (13)
        z += -F[0] * r[1] + F[1] * r[0]  # (14)
    for F, M, r in loads:
        y += F[2] * r[0] - F[0] * r[2] + M[1]
        z += F[0] * r[1] - F[1] * r[0] + M[2]
    _keep(values, {
        "5": Ft, "6": s5[1:], "7": mu, "8": push, "9": act5[1:], "10": j5[1], "11": j5[2],
        "12": [j5[0], act5[0]], "13": [y / 2.0] * 2, "14": [z / 2.0] * 2,
    })  # fmt: skip


def _body_4(peer: MujocoLoops, laws: Laws, values: Values, printed: Values) -> None:
    Q, centre, mp, H = _inertial(peer, "body_4")
    turn = Q.T @ peer.rotation("body_5")  # (3)
    half = [values[number][0] for number in ("12", "13", "14")]
    in_body_5 = [0.0, *values["6"]], [half[0], *values["10"], *values["11"]], [half[0], *values["9"]]
    s5, j5, act5 = (turn @ np.array(force) for force in in_body_5)
    mj5 = mact5 = turn @ np.array([0.0, half[1], half[2]])

    def arm(name: str, link: str = "") -> Array:
        return Q.T @ (centre - peer.point(name, link))

    a, b, c, d, g = arm("s5", "body_5"), *map(arm, ("torso_pitch", "act5_pin", "act4_pin", "torso_lift"))
    e, lift, pulls, springs, hinges, as_printed = {}, {}, [], [], [], []
    for side in SIDES:
        lever, spring = f"body_4s{side}", f"s{side}4"
        hinge = peer.point(f"j{side}4")
        hA, jA = (Q.T @ (hinge - peer.point(*at)) for at in ((spring, lever), (f"s{side}t4",)))
        Ft, line = _spring(peer, laws[spring], spring, (lever, "body_3"))  # (15)
        line = Q.T @ line
        gamma = np.arctan2(line[0], line[2])
        Fx, Fz = Ft * np.sin(gamma), Ft * np.cos(gamma)  # (16)
        lift[side] = (Fz * hA[0] - Fx * hA[2]) / jA[0]  # (17)
        e[side] = arm(f"s{side}t4")
        pulls.append(Ft)
        springs += [Fx, Fz]
        hinges += [-Fx, lift[side] - Fz]  # (18) with the signs of section 3
        as_printed += [Fx, Fz + lift[side]]
    Fz = mp[2] + act5[2] + j5[2] + s5[2] - lift["r"] - lift["l"]  # (19)
    line = _actuator(peer, 4)
    Fy = Fz * line[1] / line[2]  # (20)
    jx = mp[0] + act5[0] + j5[0]  # (21)
    jy = mp[1] + act5[1] + j5[1] + s5[1] - Fy  # (22)
    z = H[2] - jx * g[1] + jy * g[0] + Fy * d[0] - s5[1] * a[0] + j5[0] * b[1] - j5[1] * b[0] + mj5[2]
    z += act5[0] * c[1] - act5[1] * c[0] + mact5[2]  # (23)
    x = H[0] + lift["r"] * e["r"][1] - Fy * d[2] + Fz * d[1] - jy * g[2] + s5[1] * a[2] - s5[2] * a[1]
    x += j5[1] * b[2] - j5[2] * b[1] + act5[1] * c[2] - act5[2] * c[1]  # (24) but for slt4
    y = H[1] - lift["r"] * e["r"][0] - Fz * d[0] + jx * g[2] + s5[2] * a[0] + mj5[1] + mact5[1]
    y += j5[2] * b[0] - j5[0] * b[2] + act5[2] * c[0] - act5[0] * c[2]  # (25) but for slt4
    _keep(values, {
        "15": pulls, "16": springs, "17": [*lift.values()], "18": hinges,
        "19": Fz, "20": Fy, "21": jx, "22": jy,
        "23": [z / 2.0] * 2, "24": x + lift["l"] * e["l"][1], "25": y - lift["l"] * e["l"][0],
    })  # fmt: skip
    _keep(printed, {
        "18": as_printed, "24": x + lift["l"] * e["l"][0], "25": y - lift["l"] * e["l"][1],
    })  # fmt: skip


def _body_3(peer: MujocoLoops, values: Values) -> None:
    """Equations (1), (2); what crosses a lever, which has no mass, acts at its pin."""
    Q, centre, mp, H = _inertial(peer, "body_3")
    Fz, Fy, jx, jy, mu_x, mu_y = (values[number][0] for number in ("19", "20", "21", "22", "24", "25"))
    loads = [
        (np.array([0.0, Fy, Fz]), np.zeros(3), "act4_pin"),
        (np.array([jx, jy, 0.0]), np.array([mu_x, mu_y, 0.0]), "torso_lift"),
    ]
    for side, lift, twist in zip(SIDES, values["17"], values["23"], strict=True):
        loads.append((np.array([0.0, 0.0, lift]), np.array([0.0, 0.0, twist]), f"s{side}t4"))
    force = mp + sum(F for F, _, _ in loads)  # (1)
    moment = H - np.cross(force, Q.T @ (centre - peer.origin("body_3")))  # (2)
    for F, M, name in loads:
        moment += np.cross(F, Q.T @ (centre - peer.point(name))) + M
    _keep(values, {"1": force, "2": moment})


def _keep(values: Values, new: Mapping[str, object]) -> None:
    values.update({number: np.atleast_1d(np.asarray(value, float)) for number, value in new.items()})
