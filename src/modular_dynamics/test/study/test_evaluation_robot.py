import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.studies import study_file
from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import Evaluator, load_study
from modular_dynamics.study.evaluation import design_graph


def test_the_urdf_of_a_design_has_the_loads_of_the_design(tmp_path):
    evaluator = Evaluator(load_study(study_file(tmp_path)))
    numbers = np.array([0.107, 2.0, 1.0])
    path = tmp_path / "design.urdf"
    path.write_text(design_graph(evaluator, numbers).to_urdf())
    robot = md.load_urdf(path)
    assert robot.parameters["link crank mass"].value == pytest.approx(0.3 * 6.0, rel=1e-15)
    _, q, v, a = evaluator.states["back"]
    taus = [md.inverse_dynamics(robot, *state)[0] for state in zip(q, v, a, strict=True)]
    found = evaluator.measure(numbers[None])
    # rounding of the text's numbers and of another order of sums
    assert found["largest"][0] == pytest.approx(np.abs(taus).max(), rel=1e-10)
    assert found["mean"][0] == pytest.approx(np.abs(taus).mean(), rel=1e-10)


def test_the_urdf_of_a_torso_with_other_hinges_and_springs_has_the_same_loads(tmp_path):
    study = load_study(ROOT / "config/charmie_study.yaml")
    evaluator = Evaluator(study)
    numbers = np.array([1.0, 5.0, 7.0, 0.155, 0.06, -0.15])  # upright, two springs, other places
    path = tmp_path / "torso.urdf"
    path.write_text(design_graph(evaluator, numbers).to_urdf())
    robot = md.load_urdf(path)
    assert robot.parameters["spring sl4 first anchor z"].value == 0.155
    names = [study.instead.get(name, name) for name in robot.independent_joint_names]
    task = robot.with_independent_joints(*names)
    found = evaluator.loads("upright", evaluator.parameters(numbers[None]), 1)
    at = [robot.q_slice(name).start for name in robot.independent_joint_names]
    for k in (0, 17, 55, 300):
        # the same motion by the task's joints; then its coordinates with the actuators independent
        moved = md.InverseDynamics(task).solve(*(x[k] for x in evaluator.states["upright"][1:]))
        state = moved.coordinates[at], moved.velocities[at], moved.accelerations[at]
        tau = md.inverse_dynamics(robot, *state, guess=moved.coordinates)
        assert found.tau[0, k] == pytest.approx(tau, rel=1e-10, abs=1e-9)


def test_a_design_that_is_no_robot_is_refused(tmp_path):
    inputs = {"mass": {"range": [-1.0, 1.0], "sets": "link output mass"}}
    evaluator = Evaluator(load_study(study_file(tmp_path, inputs=inputs)))
    with pytest.raises(StudyError, match=r"this design is no robot: .*mass"):
        design_graph(evaluator, np.array([-0.5]))
