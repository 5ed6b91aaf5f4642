"""Poses in which inertia is lost: errors that name a joint, and accelerations nearby in 50 digits."""

from dataclasses import dataclass

import numpy as np
import pytest

import modular_dynamics as md

mp = pytest.importorskip("mpmath")

ZERO, X, Y, Z = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
TOOL = 2.0, (0.1, 0.02, 0.2), (0.1, 0.12, 0.15, 0.01, 0.02, 0.0)
LINK = 3.0, (0.1, 0.0, 0.05), (0.02, 0.05, 0.05, 0.0, 0.001, 0.0)
FLAP = 1e-9, (0.005, 0.0, 0.0), (1e-14, 1e-14, 1e-14, 0.0, 0.0, 0.0)
ARM = 100.0, (0.5, 0.1, 0.0), (1.0, 30.0, 30.0, 0.1, 0.0, 0.0)


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


@dataclass(frozen=True)
class Turn:
    """A joint with its body: mass, centre and xx yy zz xy xz yz of the inertia there, or None."""

    axis: tuple
    body: tuple | None = None
    xyz: tuple = ZERO
    rpy: tuple = ZERO
    kind: str = "continuous"
    armature: float = 0.0


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def loaded(joints, base="", **options):
    text, tags = f'<robot name="r"><link name="l0">{base}</link>', ""
    for k, joint in enumerate(joints, 1):
        inertial = ""
        if joint.body is not None:
            mass, centre, moments = joint.body
            names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            inertia = " ".join(f'{name}="{x!r}"' for name, x in zip(names, moments, strict=True))
            inertial = f'<inertial><origin xyz="{numbers(centre)}"/><mass value="{mass!r}"/>'
            inertial += f"<inertia {inertia}/></inertial>"
        limit = '<limit lower="-9" upper="9" effort="1" velocity="1"/>' if joint.kind == "prismatic" else ""
        text += f'<link name="l{k}">{inertial}</link><joint name="j{k}" type="{joint.kind}">'
        text += f'<parent link="l{k - 1}"/><child link="l{k}"/><axis xyz="{numbers(joint.axis)}"/>{limit}'
        text += f'<origin xyz="{numbers(joint.xyz)}" rpy="{numbers(joint.rpy)}"/></joint>'
        if joint.armature:
            tags += f'<joint_dynamics joint="j{k}" armature="{joint.armature}"/>'
    tags = f'<modular_dynamics version="1">{tags}</modular_dynamics>' if tags else ""
    return md.load_urdf(f"{text}{tags}</robot>", **options)


def vector(values):
    return mp.matrix([mp.mpf(float(x)) for x in values])


def cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(axis, angle):
    """By Rodrigues' formula."""
    x, y, z = axis / mp.norm(axis)
    K = mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return mp.eye(3) + mp.sin(angle) * K + (1 - mp.cos(angle)) * K * K


def by_roll_pitch_yaw(angles):
    roll, pitch, yaw = (mp.mpf(float(x)) for x in angles)
    return rotation(vector(Z), yaw) * rotation(vector(Y), pitch) * rotation(vector(X), roll)


def energies(joints, q):
    """M and the potential energy of a chain at q."""
    n, R, p = len(joints), mp.eye(3), vector(ZERO)
    M, potential, axes, places = mp.zeros(n), mp.mpf(0), [], []
    for k, joint in enumerate(joints):
        p, R = p + R * vector(joint.xyz), R * by_roll_pitch_yaw(joint.rpy)
        axes.append(R * vector(joint.axis) / mp.norm(vector(joint.axis)))
        if joint.kind == "prismatic":
            p = p + axes[k] * q[k]
        else:
            R = R * rotation(vector(joint.axis), q[k])
        places.append(p)
        M[k, k] += mp.mpf(joint.armature)
        if joint.body is None:
            continue
        mass, c = mp.mpf(joint.body[0]), p + R * vector(joint.body[1])
        xx, yy, zz, xy, xz, yz = vector(joint.body[2])
        inertia = R * mp.matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * R.T
        slides = [one.kind == "prismatic" for one in joints[: k + 1]]
        moved = [axes[e] if slides[e] else cross(axes[e], c - places[e]) for e in range(k + 1)]
        turned = [vector(ZERO) if slides[e] else axes[e] for e in range(k + 1)]
        for e in range(k + 1):
            for f in range(k + 1):
                M[e, f] += mass * (moved[e].T * moved[f])[0] + (turned[e].T * inertia * turned[f])[0]
        potential += mass * mp.mpf(9.81) * c[2]
    return M, potential


def accelerations(joints, q, v, tau):
    """a by Lagrange's equations, with differences over 1e-17 in 50 digits."""
    n, step = len(joints), mp.mpf(10) ** -17
    q, v, tau = vector(q), vector(v), vector(tau)
    dM, dU = [], []
    for k in range(n):
        moved = mp.zeros(n, 1)
        moved[k] = step
        (ahead, above), (behind, below) = energies(joints, q + moved), energies(joints, q - moved)
        dM.append((ahead - behind) / (2 * step))
        dU.append((above - below) / (2 * step))
    right = tau.copy()
    for i in range(n):
        for j in range(n):
            for k in range(n):
                right[i] -= (dM[k][i, j] - dM[i][j, k] / 2) * v[j] * v[k]
        right[i] -= dU[i]
    return np.array([float(x) for x in mp.lu_solve(energies(joints, q)[0], right)])


GIMBAL = [Turn(X), Turn(Y), Turn(Z, TOOL)]
CENTRED = [Turn(X), Turn(Y), Turn(Z, (2.0, ZERO, (0.1, 0.12, 0.15, 0.0, 0.0, 0.0)))]
WRIST = [
    Turn(Z, LINK),
    Turn(Y, LINK, (0, 0, 0.4)),
    Turn(X, None, (0.4, 0, 0)),
    Turn(Y, None, (0.3, 0, 0)),
    Turn(X, TOOL, (0.1, 0, 0)),
]
SLIDES = [Turn(X, kind="prismatic"), Turn(Z), Turn(X, TOOL, kind="prismatic")]
SINGULAR = {
    "gimbal": (GIMBAL, lambda d: [0.3, np.pi / 2 - d, 0.4], "joint 'j1' moves no inertia"),
    "centred": (CENTRED, lambda d: [0.3, np.pi / 2 - d, 0.4], "joint 'j1' moves"),
    "wrist of an arm": (WRIST, lambda d: [0.3, 0.5, 0.2, d, 0.4], "joint 'j3' moves"),
    "slides in line": (SLIDES, lambda d: [0.3, d, 0.2], "joint 'j1' moves"),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_a_joint_of_a_lost_direction_is_named_by_every_function(name):
    joints, pose, text = SINGULAR[name]
    graph, q = loaded(joints), np.array(pose(0.0))
    zero, n = np.zeros(graph.nv), graph.nv
    rows = np.array([pose(0.7), q]), *np.zeros((2, 2, n))
    for function in (md.forward_dynamics, md.forward_dynamics_derivatives):
        with pytest.raises(md.StateError, match=f"^{text}"):
            function(graph, q, zero, zero)
    for function in (md.forward_dynamics, md.forward_dynamics_derivatives):
        with pytest.raises(md.StateError, match=f"^row 1: {text}"):
            function(graph, *rows)
    if n == 3:
        with pytest.raises(md.StateError, match=f"^{text}"):
            md.hybrid_dynamics(graph, q, zero, zero, zero, ["j2"])
        with pytest.raises(md.StateError, match=f"^row 1: {text}"):
            md.hybrid_dynamics(graph, *rows, rows[2], ["j2"])
        assert np.isfinite(md.hybrid_dynamics(graph, q, zero, zero, zero, ["j1"]).a).all()


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("distance", [1e-6, 1e-5, 1e-3])
def test_accelerations_close_by_are_right(name, distance):
    """Errors are 1e-16 over the share of inertia that is left, of the order of the distance squared."""
    joints, pose, _ = SINGULAR[name]
    graph, q = loaded(joints), pose(distance)
    v, tau = np.linspace(0.5, 1.0, graph.nv), np.linspace(1.0, 2.0, graph.nv)
    exact = accelerations(joints, q, v, tau)
    for a in (
        md.forward_dynamics(graph, q, v, tau),
        md.forward_dynamics(graph, [q, q], [v, v], [tau, tau])[1],
    ):
        assert np.abs(a - exact).max() <= 1e-15 / distance**2 * np.abs(exact).max()


def test_oblique_axes_keep_four_digits_until_they_are_refused():
    """Nothing stands along a coordinate axis, so that the elimination rounds everywhere."""
    middle, last = (0.7, -0.3, 0.2), (0.5, 0.6, 0.7)
    first = vector((0.3, 0.5, 0.8))
    turned = by_roll_pitch_yaw(middle) * rotation(vector(Y), mp.mpf(0.6)) * by_roll_pitch_yaw(last)
    in_line = tuple(float(x) for x in turned.T * first)
    joints = [
        Turn((0.3, 0.5, 0.8), None, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)),
        Turn(Y, None, ZERO, middle),
        Turn(in_line, TOOL, ZERO, last),
    ]
    graph, v, tau = loaded(joints), np.ones(3), np.array([1.0, 2.0, 3.0])
    with pytest.raises(md.StateError, match="joint 'j1'"):
        md.forward_dynamics(graph, [0.3, 0.6, 0.4], v, tau)
    for distance, error in ((1e-6, 1e-3), (1e-5, 1e-5), (1e-3, 1e-9)):
        q = [0.3, 0.6 + distance, 0.4]
        exact = accelerations(joints, q, v, tau)
        assert np.abs(md.forward_dynamics(graph, q, v, tau) - exact).max() <= error * np.abs(exact).max()


REGULAR = {
    "flap at the end": [Turn(Z, ARM), Turn(Y, FLAP, (1, 0, 0))],
    "flap before the arm": [Turn(Z, FLAP), Turn(Z, ARM)],
    "flaps in a wrist": [Turn(X, FLAP), Turn(Y, FLAP), Turn(Z, TOOL)],
    "crank of 10 um": [Turn(Z), Turn(Z, (100.0, (50.0, 0, 0), (100.0, 8e4, 8e4, 0, 0, 0)), (1e-5, 0, 0))],
    "armature": [Turn(X, armature=1e-6), Turn(Y), Turn(Z, TOOL)],
    "long chain": [Turn((X, Y, Z)[k % 3], LINK, (0.1, 0, 0)) for k in range(12)],
    "far out": [Turn(Z), Turn(X, kind="prismatic", xyz=(1e5, 0, 0)), Turn(Z, TOOL)],
}


@pytest.mark.parametrize("name", REGULAR)
@pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")
def test_regular_robots_stay_exact(name):
    joints = REGULAR[name]
    graph = loaded(joints)
    q = np.linspace(-0.4, 0.8, graph.nv) if len(joints) != 3 else np.array([0.3, np.pi / 2, 0.4])
    v, tau = np.linspace(0.5, 1.0, graph.nv), np.linspace(1.0, 2.0, graph.nv)
    exact = accelerations(joints, q, v, tau)
    allowed = 1e-13 * np.abs(exact).max()
    assert np.abs(md.forward_dynamics(graph, q, v, tau) - exact).max() <= allowed
    assert np.abs(md.forward_dynamics(graph, [q], [v], [tau])[0] - exact).max() <= allowed


def test_a_slide_that_is_far_out_does_not_hide_a_lost_direction():
    """Four joints move one body in a plane: rounding grows with the square of the slide's position."""
    joints = [Turn(Z), Turn(X, kind="prismatic"), Turn(Z), Turn(Z, TOOL, (1, 0, 0))]
    graph = loaded(joints)
    for shift in (0.1, 10.0, 1e3, 1e5):
        with pytest.raises(md.StateError, match="joint 'j1' moves no inertia"):
            md.forward_dynamics(graph, [0.3, shift, 0.9, 0.7], np.zeros(4), np.ones(4))


def test_links_without_mass_on_a_floating_base():
    inertia = '<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/>'
    graph = loaded(GIMBAL, f'<inertial><mass value="5"/>{inertia}</inertial>', floating_base=True)
    q, zero = graph.neutral(), np.zeros(graph.nv)
    q[-3:] = 0.3, np.pi / 2, 0.2
    with pytest.raises(md.StateError, match=r"^joint 'j1' moves no inertia"):
        md.forward_dynamics(graph, q, zero, zero)
    q[-2] -= 1e-3  # falls as one body
    assert md.forward_dynamics(graph, q, zero, zero) == pytest.approx([0, 0, -9.81, *[0] * 6], abs=1e-9)


SHAPE = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.12" iyz="0" izz="0.13"/>'
TURNS_BACK = f"""<robot name="mimic"><link name="base"/><link name="arm"><inertial><origin xyz=".1 .2 .3"/>
<mass value="1"/>{SHAPE}</inertial></link><link name="ring"/><link name="tool"><inertial>
<origin xyz="-0.16 0.15 0.43"/><mass value="1"/>{SHAPE}</inertial></link>
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="turn" type="continuous"><parent link="arm"/><child link="ring"/>
<origin xyz="1.5 0.03 0.86" rpy="-0.7 0.4 -0.96"/><axis xyz="-0.11 -0.04 -0.77"/></joint>
<joint name="back" type="continuous"><parent link="ring"/><child link="tool"/><axis xyz="-0.11 -0.04 -0.77"/>
<mimic joint="turn" multiplier="-1"/></joint></robot>"""


def test_joints_that_turn_a_link_there_and_back_move_no_inertia():
    """The mimic joint undoes what its driver does: M is singular in every pose, but for rounding."""
    graph, rng = md.load_urdf(TURNS_BACK), np.random.default_rng(0)
    text = r"joint '(turn|swing)' moves no inertia"
    for q in rng.uniform(-3.0, 3.0, (50, 2)):
        v, tau = np.zeros(2), np.ones(2)
        for function in (md.forward_dynamics, md.forward_dynamics_derivatives):
            with pytest.raises(md.StateError, match=rf"^({text})"):
                function(graph, q, v, tau)
            with pytest.raises(md.StateError, match=rf"^row 0: ({text})"):
                function(graph, [q, q], [v, v], [tau, tau])
        with pytest.raises(md.StateError, match=r"^joint 'turn' moves no inertia"):
            md.hybrid_dynamics(graph, q, v, v, tau, ["swing"])
        held = md.hybrid_dynamics(graph, q, v, v, tau, ["turn"])
        assert held.a[0] == pytest.approx(
            (1.0 - md.nonlinear_effects(graph, q, v)[0]) / md.mass_matrix(graph, q)[0, 0]
        )
