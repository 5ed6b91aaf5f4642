"""Torques and accelerations of states against Pinocchio's, and of closed loops against the library."""

import csv
import io
import json
import sys

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

NAMES = ["turn", "bend", "left", "right"]


@pytest.fixture
def reference(four_link):
    """Functions of Pinocchio and its own reading of the file, with vectors in the graph's order."""
    model = pinocchio.buildModelFromUrdf(str(four_link))
    order = md.joint_order.from_pinocchio(md.load_urdf(four_link), model)

    def compute(function, q, *rates):
        vectors = order.to_q(q), *(order.to_v(rate) for rate in rates)
        return order.from_v(function(model, model.createData(), *vectors))

    return compute


def rows(text, letter):
    table = list(csv.DictReader(io.StringIO(text)))
    return np.array([[float(row[f"{letter}_{name}"]) for name in NAMES] for row in table]), table


@pytest.fixture
def states(tmp_path):
    numbers = np.random.default_rng(5).uniform(-2.0, 2.0, (20, 12))
    path = tmp_path / "states.csv"
    head = ["time", *(f"{letter}_{name}" for letter in ("v", "q", "a") for name in reversed(NAMES))]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for k, (q, v, a) in enumerate(numbers.reshape(-1, 3, 4)):
            writer.writerow([0.1 * k, *v[::-1], *q[::-1], *a[::-1]])
    return path, numbers.reshape(-1, 3, 4)


def test_inverse_dynamics_of_a_file_in_any_order_of_columns(shell, four_link, reference, states):
    path, numbers = states
    tau, table = rows(shell("id", four_link, path).out, "tau")
    expected = [reference(pinocchio.rnea, *state) for state in numbers]
    np.testing.assert_allclose(tau, expected, rtol=1e-12, atol=1e-12)
    assert [float(row["time"]) for row in table] == pytest.approx([0.1 * k for k in range(20)])


def test_forward_dynamics_and_gravity_of_files(shell, four_link, reference, states, tmp_path):
    path, numbers = states
    text = path.read_text("utf-8")
    path.write_text(text.replace("a_", "tau_"), "utf-8")
    a, _ = rows(shell("fd", four_link, path).out, "a")
    expected = [reference(pinocchio.aba, *state) for state in numbers]
    np.testing.assert_allclose(a, expected, rtol=1e-9, atol=1e-9)
    head = ",".join(f"q_{name}" for name in NAMES)
    np.savetxt(tmp_path / "q.csv", numbers[:, 0], "%.17g", ",", header=head, comments="")
    assert shell("gravity", four_link, tmp_path / "q.csv", "-o", tmp_path / "tau.csv").code == 0
    expected = [reference(pinocchio.computeGeneralizedGravity, q) for q in numbers[:, 0]]
    tau, table = rows((tmp_path / "tau.csv").read_text("utf-8"), "tau")
    np.testing.assert_allclose(tau, expected, rtol=1e-12, atol=1e-12)
    assert "time" not in table[0]


def test_one_state_by_order_and_by_name(shell, four_link, reference):
    q, a = [-0.1, 0.2, 0.0, 1.0], [0.0, 0.0, 2.0, 0.0]
    expected = reference(pinocchio.rnea, q, [0] * 4, a)
    by_order = json.loads(shell("id", four_link, "--q", "-0.1,0.2,0,1", "--a", "left=2", "--json").out)
    assert list(by_order["tau"].values()) == pytest.approx(expected)
    by_name = shell("id", four_link, "--q", "turn=-0.1,right=1,bend=0.2", "--a", "left=2", "--csv")
    assert rows(by_name.out, "tau")[0][0] == pytest.approx(expected)
    table = shell("id", four_link, "--q", "-0.1,0.2,0,1", "--a", "left=2").out.splitlines()
    assert table[3].split() == ["left", f"{expected[2]:.6g}", "N", "m"]


def test_states_from_standard_input(shell, four_link, states, monkeypatch):
    with open(states[0], "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(file.read()))))
    found = shell("id", four_link, "-")
    assert (found.code, len(found.out.splitlines())) == (0, 21)


def test_without_velocities_and_accelerations_they_are_zero(shell, four_link, tmp_path):
    path, q = tmp_path / "states.csv", [0.1, 0.2, -0.3, 0.4]
    path.write_text("q_turn,q_bend,q_left,q_right\n" + ",".join(map(str, q)), "utf-8")
    expected = md.gravity_torque(md.load_urdf(four_link), q)
    np.testing.assert_allclose(rows(shell("id", four_link, path).out, "tau")[0][0], expected, atol=1e-14)


def test_gravity_and_floating_base_are_those_of_the_file_unless_given(shell, four_link, tmp_path):
    tags = '<modular_dynamics version="1" gravity="0 0 -1.62" floating_base="true">'
    moon = tmp_path / "moon.urdf"
    moon.write_text(four_link.read_text("utf-8").replace('<modular_dynamics version="1">', tags), "utf-8")
    graph = md.load_urdf(moon)
    assert (graph.nq, graph.gravity[2]) == (11, -1.62)
    for options, count, gravity in (((), 11, -1.62), (("--gravity", "0,0,-3.71"), 11, -3.71)):
        found = json.loads(shell("check", moon, "--json", "--states", 1, *options).out)["robot"]
        assert (found["nq"], found["gravity"]) == (count, [0.0, 0.0, gravity])


def test_closed_loops_follow_from_state_to_state(shell, tmp_path, monkeypatch):
    guesses, close = [], md.close_loops

    def noted(graph, q, guess=None):
        guesses.append(guess)
        return close(graph, q, guess)

    monkeypatch.setattr("modular_dynamics.loops.close_loops", noted)
    robot = ROBOTS / "four_bar.urdf"
    graph = md.load_urdf(robot)
    (name,) = graph.independent_joint_names
    q = np.linspace(0.6, 1.4, 9)
    path = tmp_path / "states.csv"
    path.write_text(f"q_{name},v_{name},a_{name}\n" + "".join(f"{one},0.5,-0.3\n" for one in q), "utf-8")
    tau = [float(line) for line in shell("id", robot, path).out.splitlines()[1:]]
    guess, expected = None, []
    for one, given in zip(q, guesses, strict=True):
        np.testing.assert_array_equal(given, guess)
        result = md.InverseDynamics(graph).solve([one], [0.5], [-0.3], guess=guess)
        expected.append(result.tau[0])
        guess = result.coordinates
    np.testing.assert_allclose(tau, expected, rtol=1e-12)
    # forward dynamics is the inverse's inverse
    path.write_text(
        f"q_{name},v_{name},tau_{name}\n" + "".join(f"{a},0.5,{t}\n" for a, t in zip(q, tau, strict=True)),
        "utf-8",
    )
    a = [float(line) for line in shell("fd", robot, path).out.splitlines()[1:]]
    np.testing.assert_allclose(a, -0.3, rtol=1e-8)
    rest = json.loads(shell("gravity", robot, "--q", "0.6", "--json").out)["tau"]
    assert rest[name] == pytest.approx(md.gravity_torque(graph, [0.6])[0])


def test_a_floating_base_has_numbered_columns(shell, four_link):
    record = json.loads(shell("id", four_link, "--floating-base", "--json").out)
    assert list(record["tau"])[:7] == [*(f"root_joint.{k}" for k in range(6)), "turn"]
    mass = sum(body.mass for body in md.load_urdf(four_link, floating_base=True).bodies)
    assert record["tau"]["root_joint.2"] == pytest.approx(9.81 * mass)


@pytest.fixture
def partition(tmp_path):
    """The right branch is a black box."""
    path = tmp_path / "partition.yaml"
    path.write_text(
        "version: 1\nsubsystems:\n  - {name: stem, joints: [turn, bend]}\n"
        "  - {name: left_branch, joints: [left]}\n"
        "  - {name: right_branch, root_link: right_branch, black_box: true}\n",
        "utf-8",
    )
    return path


@pytest.mark.parametrize("command", ["id", "gravity"])
def test_black_boxes_are_refused_by_name(error, four_link, partition, command):
    assert "right_branch" in error(command, four_link, "--partition", partition)


def test_the_masses_of_a_black_box_are_not_counted(shell, four_link, partition):
    graph = md.load_urdf(four_link, partition)
    known = sum(body.mass for body in graph.bodies) - graph.bodies[graph.joint_names.index("right")].mass
    record = json.loads(shell("check", four_link, "--partition", partition, "--states", 0, "--json").out)
    assert record["robot"]["moving_mass"] == pytest.approx(known, rel=1e-14)
    assert [one["mass"] for one in record["subsystems"] if one["black_box"]] == [None]
    assert [one["mass"] for one in record["joints"] if one["name"] == "right"] == [None]
    assert f"moving mass {known:.6g} kg" in shell("graph", four_link, "--partition", partition).out


def test_friction_counts_where_it_is_asked_for(shell, tmp_path, four_link):
    text = four_link.read_text(encoding="utf-8")
    path = tmp_path / "damped.urdf"
    path.write_text(text.replace("</joint>", '<dynamics damping="0.5" friction="0"/></joint>'), "utf-8")
    given = ("id", path, "--v", "1,1,1,1", "--json")
    without, with_friction = (
        json.loads(shell(*given, *more).out)["tau"] for more in ((), ("--friction", "urdf"))
    )
    assert [with_friction[name] - without[name] for name in NAMES] == pytest.approx([0.5] * 4)


def test_what_cannot_be_computed_names_the_state(error, tmp_path, four_link):
    path = tmp_path / "states.csv"
    path.write_text(
        "q_turn,q_bend,q_left,q_right,v_turn,v_bend,v_left,v_right\n" + "0,0,0,0,1e200,1e200,0,0\n", "utf-8"
    )
    assert f"'{path}', line 2: " in error("id", four_link, path, "-o", tmp_path / "tau.csv")
