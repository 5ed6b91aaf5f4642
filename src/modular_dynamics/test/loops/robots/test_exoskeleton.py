"""urdf/exoskeleton.urdf against its table of modified Denavit-Hartenberg rows, and the published values."""

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.processes import generate_from
from helpers.springs import spring_torque
from modular_dynamics.algebra import to_rotation_translation
from papers.closed_loop_elimination.exoskeleton import CASE, REFERENCE, reference_inertias

KIN = REFERENCE["kin"]
# the reference's names of the passive coordinates, in the order of its W, and ours
PASSIVE = {"rho3": "rho_3", "rho6": "rho_6"}
PASSIVE |= {f"th{i}": f"theta_{i}" for i in (9, 10, 11, 12, 14)} | {"LF": "L_s"}
NAMES = {f"rho{i}": f"rho_{i}" for i in (1, 2, 4, 5, 7)} | PASSIVE
Q1 = np.radians(CASE["q1_deg"])


@pytest.fixture(scope="module")
def graph(load_robot):
    return load_robot("exoskeleton", strict=True)


@pytest.fixture(scope="module")
def reference_graph(tmp_path_factory):
    """The exoskeleton with the reference's inertias, by the generator's command line."""
    folder = tmp_path_factory.mktemp("exoskeleton")
    assert generate_from(reference_inertias(), "exoskeleton", "--inertias", folder).returncode == 0
    return md.load_urdf(folder / "exoskeleton.urdf")


def modified_dh_frames(q):
    """Frames 1 to 21 of the published table at coordinates by the reference's names: the table once more."""
    numbers = (1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 20, 21, 22, 23)
    l1, l2, l3, l4, l5, l6, l11, l12, l13, l14, l15, l20, l21, l22, l23 = (KIN[f"l{i}"] for i in numbers)
    right = np.pi / 2
    rows = {  # parent, gamma, alpha, d, theta, r
        1: (0, 0, 0, 0, q["rho1"] - right, l1),
        2: (1, 0, -right, 0, q["rho2"] + right, l2),
        3: (2, 0, right, 0, q["rho3"], l3),
        4: (3, 0, 0, l5, q["rho4"], 0),
        5: (4, 0, 0, l11, q["rho5"], 0),
        6: (5, 0, 0, l12, q["rho6"] + right, 0),
        7: (6, 0, right, 0, q["rho7"], l15),
        8: (2, 0, right, 0, KIN["delta8"] + right, l3),
        9: (8, 0, 0, -l4, q["th9"], 0),
        10: (3, 0, 0, l6, q["th10"], 0),
        11: (10, 0, 0, l22, np.pi + q["th11"], 0),
        12: (4, 0, 0, l11, q["th12"] - right, 0),
        13: (12, 0, 0, 0, KIN["delta17"] - right, 0),
        14: (13, 0, 0, l14, 3 * right + q["th14"], 0),
        15: (14, 0, right, 0, 0, q["LF"]),
        16: (10, KIN["delta9"], 0, l21, 0, 0),
        17: (13, 0, 0, l14, 0, 0),
        18: (6, -right - KIN["delta20"], 0, l23, 0, 0),
        19: (9, 0, 0, l20, 0, 0),
        20: (11, 0, 0, l13, 0, 0),
        21: (15, 0, -right, 0, 0, 0),
    }
    frames = {0: np.eye(4)}
    for i, (parent, gamma, alpha, d, theta, r) in rows.items():
        frames[i] = frames[parent] @ screw_z(gamma, 0) @ screw_x(alpha, d) @ screw_z(theta, r)
    return frames


def screw_z(angle, shift):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, shift], [0, 0, 0, 1]])


def screw_x(angle, shift):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, shift], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def transform(pose):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = to_rotation_translation(pose)
    return T


def test_frames_are_the_modified_dh_frames(graph):
    """At any coordinates, closed or not; cut joints too."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        q = rng.uniform(-3.0, 3.0, graph.nq)
        frames = modified_dh_frames({key: q[graph.q_slice(name)][0] for key, name in NAMES.items()})
        links = {f"body_{i}": i for i in range(1, 16)}
        for link, i in links.items():
            pose = md.frame_pose(graph, q, link)
            assert transform(pose) == pytest.approx(frames[i], abs=1e-14)
        cuts = {loop.name: loop for loop in graph.loop_joints}
        for name, first, second in (("E", 16, 19), ("B", 17, 20), ("A", 18, 21)):
            for anchor, i in ((cuts[name].predecessor, first), (cuts[name].successor, second)):
                pose = md.frame_pose(graph, q, anchor.link) * anchor.x_link_anchor
                assert transform(pose) == pytest.approx(frames[i], abs=1e-14)
            assert cuts[name].axis.tolist() == [0, 0, 1]


def test_independent_joints_are_the_papers(graph):
    assert graph.independent_joint_names == ("rho_1", "rho_2", "rho_4", "rho_5", "rho_7")


def test_coordinates(graph):
    expected = [CASE["joint_coordinates"][key] for key in NAMES]
    order = [graph.q_slice(name).start for name in NAMES.values()]
    coordinates = md.close_loops(graph, Q1)  # without a guess: the limits say the branch
    assert coordinates[order] == pytest.approx(expected, abs=1e-9)
    assert md.close_loops(graph, Q1, coordinates) == pytest.approx(coordinates, abs=1e-12)


def test_projection(graph):
    order = [graph.v_slice(name).start for name in PASSIVE.values()]
    W = md.explicit_constraint_jacobian(graph, Q1)
    assert W[order] == pytest.approx(np.array(CASE["W_passive"]), abs=1e-9)


def test_mass_matrix_gravity_and_torques(reference_graph):
    zero = np.zeros(5)
    assert md.mass_matrix(reference_graph, Q1) == pytest.approx(np.array(CASE["M1"]), abs=1e-9)
    assert md.gravity_torque(reference_graph, Q1) == pytest.approx(CASE["g1"], abs=1e-9)
    tau = md.inverse_dynamics(reference_graph, Q1, zero, zero)
    without_spring = tau - spring_torque(reference_graph, Q1)
    assert without_spring == pytest.approx(CASE["tau1"], abs=1e-9)
    columns = [md.inverse_dynamics(reference_graph, Q1, zero, unit) - tau for unit in np.eye(5)]
    assert np.transpose(columns) == pytest.approx(np.array(CASE["M1"]), abs=1e-9)


def test_spring_is_as_long_as_its_slide(graph):
    """1000 N/m, 0.03 m free, from A to B: its energy is 500 (L_s - 0.03)^2."""
    energy = []
    for step in (1e-4, -1e-4):
        lengths = [md.close_loops(graph, Q1 + step * unit)[graph.q_slice("L_s")][0] for unit in np.eye(5)]
        energy.append(500 * (np.array(lengths) - 0.03) ** 2)
    expected = (energy[0] - energy[1]) / 2e-4
    assert spring_torque(graph, Q1) == pytest.approx(expected, abs=1e-6)  # of the differences
    tension = md.InverseDynamics(graph).solve(Q1, np.zeros(5), np.zeros(5)).tensions["spring"]
    assert tension == pytest.approx(1000 * (CASE["joint_coordinates"]["LF"] - 0.03), abs=1e-9)


def at(rho_4):
    return np.radians([0.0, 0.0, rho_4, 30.0, 0.0])


def test_loops_close_from_minus_20_to_95_degrees(graph):
    guess = md.close_loops(graph, at(-20))
    for degrees in range(-20, 96):
        alone = md.close_loops(graph, at(degrees))
        guess = md.close_loops(graph, at(degrees), guess)
        assert guess == pytest.approx(alone, abs=1e-9)  # no jump of the assembly mode
        frames = modified_dh_frames({key: alone[graph.q_slice(name)][0] for key, name in NAMES.items()})
        for first, second in ((16, 19), (17, 20), (18, 21)):
            assert frames[first][:3, 3] == pytest.approx(frames[second][:3, 3], abs=1e-9)
        coordinates = dict(zip(graph.joint_names, alone, strict=True))
        rho_4, rho_5 = coordinates["rho_4"], coordinates["rho_5"]
        assert coordinates["theta_12"] == pytest.approx(rho_4, abs=1e-12)
        assert coordinates["rho_6"] == pytest.approx(rho_5 - rho_4, abs=1e-12)


@pytest.mark.parametrize("from_guess", [False, True])
def test_at_100_degrees_the_error_says_that_the_loop_cannot_close(graph, from_guess):
    guess = md.close_loops(graph, at(95)) if from_guess else None
    with pytest.raises(md.ClosureError, match=r"'exoskeleton' do not close .*B by .*out of reach") as error:
        md.close_loops(graph, at(100), guess)
    residual = error.value.residual
    assert residual["B"] > 1e-4  # the four-bar of elbow and rods
    assert max(residual["E"], residual["A"], residual["gear of rho_6"]) < 1e-3 * residual["B"]


def test_a_table_that_lacks_a_body_is_refused(tmp_path):
    table = yaml.safe_load((ROBOTS / "generators" / "exoskeleton_inertias.yaml").read_text())
    del table["body_8"]
    result = generate_from(table, "exoskeleton", "--inertias", tmp_path)
    assert result.returncode != 0
    assert "body_8" in result.stderr
