import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROOT
from modular_dynamics.motions import AccelerationProfile
from modular_dynamics.study import load_study
from modular_dynamics.study.evaluation import path_of, states_of

MOTION = AccelerationProfile({"b": 2.0}, [(1.0, 1.0), (3.0, -1.0), (4.0, 1.0)], {"b": 0.3})


def test_states_are_the_profiles_samples_in_the_robots_order():
    states = states_of(MOTION, 5.0, ("a", "b"))
    assert states.times.tolist() == pytest.approx(np.arange(20) / 5.0)
    for k, t in enumerate(states.times.tolist()):
        assert [x[k, 1] for x in states[1:]] == pytest.approx([one[0] for one in MOTION.sample(t)])
    assert not states.q[:, 0].any()


def test_a_function_of_the_path_has_its_rates_at_all_states():
    """G = exp(sin(b)): v and a by the chain rule, in closed form."""
    states, path = states_of(MOTION, 20.0, ("b",)), path_of(MOTION, 20.0, ("b",))
    q, v, a = path.moved(np.exp(np.sin(path.q)))
    b, rate, acceleration = states.q, states.v, states.a
    g = np.exp(np.sin(b))
    first, second = g * np.cos(b), g * (np.cos(b) ** 2 - np.sin(b))
    # b goes over 2 rad; 16 points leave 1e-9 of the series, and each derivative takes two digits
    assert np.abs(q - g).max() < 1e-9
    assert np.abs(v - first * rate).max() < 1e-7
    assert np.abs(a - (second * rate**2 + first * acceleration)).max() < 1e-6


def test_a_motion_that_rests_has_one_place():
    path = path_of(AccelerationProfile({"b": 0.0}, [(1.0, 0.0)], {"b": 0.3}), 10.0, ("b",))
    assert path.q.tolist() == [[0.3]]
    assert [x.tolist() for x in path.moved(np.array([[7.0]]))] == [[[7.0]] * 10, [[0.0]] * 10, [[0.0]] * 10]


@pytest.mark.parametrize("name", ["published", "upright", "reaching"])
def test_the_actuators_of_a_torso_move_as_its_lift_and_pitch_ask(name):
    study = load_study(ROOT / "config/charmie_study.yaml")
    change = {"loop joint act5_pin successor y": -0.17}
    task = study.task().with_parameters(change)
    names = task.independent_joint_names
    path, states = (make(study.trajectories[name], 10.0, names) for make in (path_of, states_of))
    at = [task.q_slice(joint).start for joint in study.instead]
    rest = np.zeros(task.nv)[: len(names)]
    nodes = [md.InverseDynamics(task).solve(q, rest, rest).coordinates[at] for q in path.q]
    q, v, a = path.moved(np.array(nodes))
    for k in range(0, 600, 41):
        exact = md.InverseDynamics(task).solve(*(x[k] for x in states[1:]))
        # rounding of strokes of 0.1 m, amplified by the second derivative of a polynomial of degree 15
        assert np.abs(q[k] - exact.coordinates[at]).max() < 1e-13
        assert np.abs(v[k] - exact.velocities[at]).max() < 1e-13
        assert np.abs(a[k] - exact.accelerations[at]).max() < 1e-12
