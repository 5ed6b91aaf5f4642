"""Simulated motions against closed forms and Pinocchio, gaits against `id`, and what is refused."""

import csv
import io

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.modular import Assembly, gaits

WEIGHT, ARM = 2.0, 0.5


@pytest.fixture
def pendulum(tmp_path):
    """A point mass on a massless rod that turns about y; down at zero."""
    links = [
        '<link name="base"/>',
        f'<link name="bob">{inertial(WEIGHT, (0, 0, -ARM), np.zeros((3, 3)))}</link>',
    ]
    path, hinge = (
        tmp_path / "pendulum.urdf",
        joint("j", "continuous", "base", "bob", (0, 0, 0), axis=(0, 1, 0)),
    )
    path.write_text(robot("pendulum", [*links, hinge]))
    return path


def columns(text):
    table = list(csv.DictReader(io.StringIO(text)))
    return {name: np.array([float(row[name]) for row in table]) for name in table[0]}


def test_a_pendulum_swings_as_its_closed_form(shell, pendulum):
    """Small: A cos(w t); the position of its link, and energy that stays."""
    done = shell("simulate", pendulum, "--q", "j=1e-4", "--time", "3", "--step", "0.1", "--link", "bob")
    found, w = columns(done.out), np.sqrt(9.81 / ARM)
    assert len(found["time"]) == 31
    assert found["time"][-1] == 3.0
    assert found["q_j"] == pytest.approx(1e-4 * np.cos(w * found["time"]), abs=1e-9)
    assert found["a_j"] == pytest.approx(-(w**2) * found["q_j"], abs=1e-8)
    assert np.ptp(found["energy"]) < 1e-9
    assert {"x", "y", "z"} < found.keys()


def test_torques_of_a_file_and_pinocchio_s_accelerations(shell, tmp_path):
    """Linear between the rows of the file; each row's acceleration is Pinocchio's of its state."""
    path = tmp_path / "torques.csv"
    path.write_text("time,tau_bend,tau_turn,tau_left,tau_right\n0,1,0,0,0.5\n0.4,2,0,0,0.5\n")
    done = shell(
        "simulate", ROBOTS / "four_link.urdf", "--torques", path, "--time", "0.5", "--method", "RK45"
    )
    found = columns(done.out)
    assert found["tau_bend"] == pytest.approx(np.minimum(1.0 + found["time"] / 0.4, 2.0), abs=1e-12)
    model = pinocchio.buildModelFromUrdf(str(ROBOTS / "four_link.urdf"))
    names = [model.names[k] for k in range(1, model.njoints)]
    for k in (0, 20, 50):
        q, v, tau = (np.array([found[f"{x}_{name}"][k] for name in names]) for x in ("q", "v", "tau"))
        turned = pinocchio.integrate(model, pinocchio.neutral(model), q)  # continuous joints: cosine and sine
        a = pinocchio.aba(model, model.createData(), turned, v, tau)
        assert [found[f"a_{name}"][k] for name in names] == pytest.approx(a, rel=1e-9, abs=1e-9)


def test_torques_of_a_gait_are_those_of_its_states(shell, tmp_path):
    gait = tmp_path / "gait.yaml"
    gait.write_text("kind: sine\nfrequency: 1.0\nbody: {joints: [left, right], amplitude: 0.5, lag: 0.7}\n")
    path = ROBOTS / "four_link.urdf"
    found = columns(shell("simulate", path, "--gait", gait, "--time", "1", "--step", "0.05").out)
    assert found["q_turn"].tolist() == [0.0] * 21
    assert np.ptp(found["q_left"]) > 0.5
    states = tmp_path / "states.csv"
    names = [name for name in found if name[:2] in ("q_", "v_", "a_")]
    rows = np.array([found[name] for name in names]).T
    states.write_text(",".join(names) + "\n" + "\n".join(",".join(map(repr, row)) for row in rows.tolist()))
    again = columns(shell("id", path, states).out)
    for name in again:
        assert again[name] == pytest.approx(found[name], rel=1e-12, abs=1e-12)


def test_a_modular_snake_follows_a_gait_in_free_fall(shell, tmp_path):
    """By the file of its incidence matrix: linear and angular momentum stay zero, and no force acts."""
    snake = Assembly(base=("v0", "backbone"), name="snake")
    for k in range(1, 5):
        snake = snake.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    file, gait = tmp_path / "snake.yaml", ROOT / "config/gaits/snake.yaml"
    snake.incidence_matrix().to_yaml(file)
    words = "--floating-base", "--gravity", "0,0,0", "--gait", gait, "--time", "3", "--step", "0.5"
    found = columns(shell("simulate", file, *words, "--link", "v4/cube").out)
    graph = snake.with_base("v0", mount="floating").graph(gravity=(0, 0, 0))
    rows = {x: np.array([found[name] for name in found if name.startswith(f"{x}_")]).T for x in "qv"}
    momenta = [md.centroidal_momentum(graph, q, v) for q, v in zip(rows["q"], rows["v"], strict=True)]
    assert np.abs(momenta).max() < 1e-8
    assert np.abs(rows["v"][:, 4]).max() > 0.5  # the base turns against the bending
    assert found["q_v2/bend"] == pytest.approx(gaits.load(gait).states(found["time"]).q[:, 1], abs=1e-8)
    assert not any(found[f"tau_v0/floating.{k}"].any() for k in range(6))
    centres = [md.centre_of_mass(graph, q).position for q in rows["q"]]
    assert np.ptp(centres, axis=0) == pytest.approx(0.0, abs=1e-8)
    assert np.ptp(found["x"]) > 1e-3


def test_an_assembly_of_own_modules(shell, error, tmp_path):
    """The file of each module type is an option; the crane's load swings as its closed form."""
    file = tmp_path / "crane.yaml"
    file.write_text("modules: {cart: cart, load: pendulum_link}\ndocks: [{faces: {cart: 1, load: 1}}]\n")
    modules = [
        w for name in ("cart", "pendulum_link") for w in ("--module", ROOT / f"config/modular/{name}.yaml")
    ]
    words = "--q", "load/swing=1e-4", "--time", "1", "--step", "0.1"
    found = columns(shell("simulate", file, *modules, *words).out)
    assert found["q_load/swing"] == pytest.approx(1e-4 * np.cos(np.sqrt(9.81) * found["time"]), abs=1e-9)
    assert "unknown kind 'cart'" in error("simulate", file)
    assert "modules are the subsystems" in error("simulate", file, "--partition", "x.yaml")
    assert "--module is for an assembly" in error("simulate", ROBOTS / "four_bar.urdf", *modules)


def test_a_mechanism_writes_csv_and_picture(shell, tmp_path):
    """With closed loops: its independent joint alone; energy stays."""
    out, plot = tmp_path / "motion.csv", tmp_path / "motion.png"
    files = ("-o", out, "--plot", plot)
    shell("simulate", ROBOTS / "four_bar.urdf", "--q", "J1=0.3", "--time", "0.4", *files, "--link", "coupler")
    found = columns(out.read_text())
    assert [*found] == ["time", "q_J1", "v_J1", "a_J1", "tau_J1", "energy", "x", "y", "z"]
    assert np.ptp(found["energy"]) < 1e-7
    assert plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--time", "0"), "no number above zero"),
        (("--step", "1e-9"), "a longer step is needed"),
        (("--link", "nose"), "the robot has the links base, bob"),
        (("--tau", "k=1"), "'k', which is unknown; possible: j"),
        (("-o", "motion.txt"), "a name that ends in .csv is needed"),
        (("--plot", "motion.gif"), "a name that ends in .png"),
        (("--method", "Euler"), "invalid choice"),
        (("--gait", "none.yaml", "--q", "1"), "contradict --gait"),
    ],
)
def test_refusals(error, pendulum, words, message):
    assert message in error("simulate", pendulum, *words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,tau_j\n", "a row at least"),
        ("tau_j\n1\n", "column time"),
        ("time,tau_j\n1,1\n1,2\n", "must rise"),
    ],
)
def test_files_of_torques_that_cannot_be_used(error, pendulum, tmp_path, text, message):
    path = tmp_path / "torques.csv"
    path.write_text(text)
    assert message in error("simulate", pendulum, "--torques", path)
