import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.studies import study_file
from modular_dynamics.exceptions import StudyError
from modular_dynamics.motions import AccelerationProfile
from modular_dynamics.study import Evaluator, Violation, evaluated_rows, evaluation, load_study
from modular_dynamics.study.evaluation import design_graph, front, order, path_of, scores, states_of

TREE = """<robot name="arm"><link name="ground"/>
<link name="rod"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="J1" type="continuous">
<parent link="ground"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>
"""


def test_loads_are_those_of_the_single_call_on_robots_made_one_by_one(tmp_path):
    study = load_study(study_file(tmp_path))
    evaluator = Evaluator(study)
    rows = evaluated_rows(evaluator, 0, study.count)
    assert rows["index"].tolist() == list(range(30))
    for k in (0, 11, 16, 29):
        coupler, mass, motion = (rows[f"input {name}"][k] for name in ("coupler", "mass", "motion"))
        heavy = [4.0, 5.0, 6.0][int(mass)]
        robot = study.graph.with_parameters(
            {
                "loop joint J2 successor x": coupler,
                "link output mass": heavy,
                "link crank mass": 0.3 * heavy,
            }
        )
        _, q, v, a = evaluator.states[["turn", "back"][int(motion)]]
        taus, rocker = [], []
        for state in zip(q, v, a, strict=True):
            result = md.InverseDynamics(robot).solve(*state)
            taus.append(abs(result.tau[0]))
            rocker.append(result.coordinates[robot.q_slice("J4").start])
        # the same equations in another order of sums
        assert rows["largest"][k] == rows["largest J1"][k] == pytest.approx(max(taus), rel=1e-10)
        assert rows["mean"][k] == pytest.approx(np.mean(taus), rel=1e-10)
        margin = min(min(rocker) - 1.9, 2.9 - max(rocker))  # limits of J4 in the URDF
        assert rows["stroke_margin"][k] == pytest.approx(margin, abs=1e-10)


def test_actuators_of_a_torso_bear_what_virtual_power_says():
    """f = J^-T tau of the task, J from the projection of the task's graph: no actuator is independent."""
    study = load_study(ROOT / "config/charmie_study.yaml")
    evaluator = Evaluator(study)
    numbers = np.array([[0.0, 3.0, 8.0, 0.17, 0.05, -0.16]])
    parameters = evaluator.parameters(numbers)
    loads = evaluator.loads("published", parameters, 1)
    task = evaluator.task.with_parameters({name: float(one[0]) for name, one in parameters.items()})
    at = [task.v_slice(name).start for name in ("act4", "act5")]
    moved = [task.independent_joint_names.index(name) for name in ("torso_lift", "torso_pitch")]
    own = [study.graph.independent_joint_names.index(name) for name in ("act4", "act5")]
    for k in (0, 23, 50, 377):
        q, v, a = (x[k] for x in evaluator.states["published"][1:])
        tau = md.inverse_dynamics(task, q, v, a)[moved]
        jacobian = md.explicit_constraint_jacobian(task, q)[np.ix_(at, moved)]
        assert loads.tau[0, k, own] == pytest.approx(np.linalg.solve(jacobian.T, tau), rel=1e-9)


def test_tensions_stay_between_the_limits_of_the_chosen_springs():
    study = load_study(ROOT / "config/charmie_study.yaml")
    evaluator, numbers = Evaluator(study), np.array([[0.0, 3.0, 8.0, 0.17, 0.05, -0.16]])
    tensions = evaluator.loads("published", evaluator.parameters(numbers), 1).tensions[0]
    lower, upper = (dict(study.inputs[k].columns) for k in (1, 2))
    measured = evaluator.measure(numbers)
    for margin, column, sign in (("tension", "initial_force", 1), ("overload", "largest_force", -1)):
        limits = [lower[column][3], lower[column][3], upper[column][8]]  # of sr4, sl4 and s5
        assert measured[f"{margin}_margin"][0] == pytest.approx((sign * (tensions - limits)).min())


def test_a_design_does_not_depend_on_its_chunk(tmp_path, monkeypatch):
    study = load_study(study_file(tmp_path))
    monkeypatch.setattr(evaluation, "BLOCK_STATES", 80)  # four designs
    evaluator = Evaluator(study)
    whole = evaluated_rows(evaluator, 0, study.count)
    for first, last in ((0, 4), (8, 20), (28, 30)):
        for name, column in evaluated_rows(evaluator, first, last).items():
            assert column.tobytes() == whole[name][first:last].tobytes(), name


def test_designs_that_no_robot_can_be_or_that_cannot_close_are_counted(tmp_path):
    inputs = {
        "mass": {"list": [-1.0, 5.0], "sets": "link output mass"},
        "coupler": {"list": [0.1, 0.01], "sets": "loop joint J2 successor x"},
    }
    rows = evaluated_rows(Evaluator(load_study(study_file(tmp_path, inputs=inputs))), 0, 4)
    assert rows["violations"].tolist()[:2] == [Violation.NO_MODEL] * 2
    assert rows["violations"][2] == 0
    assert rows["violations"][3] & (Violation.CANNOT_CLOSE | Violation.SINGULAR)
    assert np.isnan(rows["largest"]).tolist() == [True, True, False, True]


def test_what_is_not_kept_is_named(tmp_path):
    keep = {"strokes": ["J4"], "efforts": ["J1"], "sine": 0.1}
    inputs = {
        "limit": {"list": [2.0, 2.9], "sets": "joint J4 upper limit"},
        "effort": {"list": [20, 1], "sets": "joint J1 effort limit"},
    }
    rows = evaluated_rows(Evaluator(load_study(study_file(tmp_path, keep=keep, inputs=inputs))), 0, 4)
    both = Violation.STROKE | Violation.EFFORT
    assert rows["violations"].tolist() == [Violation.STROKE, both, 0, Violation.EFFORT]
    assert rows["effort_margin"] == pytest.approx(1.0 - rows["largest"] / np.array([20, 1, 20, 1]))
    sharp = {**keep, "sine": 0.999}
    rows = evaluated_rows(Evaluator(load_study(study_file(tmp_path, keep=sharp))), 0, 30)
    assert (rows["violations"] & Violation.SINE).all()


def test_the_sine_is_that_of_the_angle_between_the_directions_of_the_unknown_joints(tmp_path):
    """J3 moves the crank's pin across the coupler, J4 across the line from J4 to the pin: law of cosines."""
    study = load_study(study_file(tmp_path, keep={"sine": 0.0}))
    evaluator = Evaluator(study)
    sines = []
    for q in evaluator.states["turn"].q[:, 0]:
        diagonal = np.hypot(0.15 - 0.05 * np.cos(q), 0.05 * np.sin(q))
        cosine = (0.1**2 + diagonal**2 - 0.13**2) / (2 * 0.1 * diagonal)
        sines.append(np.sqrt(1.0 - cosine**2))
    assert evaluator.published()["sine_margin"][0] == pytest.approx(min(sines), rel=1e-9)


def test_a_robot_without_loops(tmp_path):
    (tmp_path / "arm.urdf").write_text(TREE)
    inputs = {"mass": {"list": [1.0, -2.0, 3.0], "sets": "link rod mass"}}
    path = study_file(tmp_path, robot="arm.urdf", inputs=inputs, keep={})
    evaluator = Evaluator(load_study(path))
    rows = evaluated_rows(evaluator, 0, 3)
    _, q, _, a = evaluator.states["turn"]
    # (m c^2 + I) a - m g c cos q about y, of a rod whose angle turns it downward
    expected = [np.abs((m * 0.09 + 0.01) * a - m * 9.81 * 0.3 * np.cos(q)).max() for m in (1.0, 3.0)]
    assert rows["largest"][[0, 2]] == pytest.approx(expected, rel=1e-12)
    assert rows["violations"].tolist() == [0, Violation.NO_MODEL, 0]


RNG = np.random.default_rng(0)


def test_the_front_is_what_no_other_design_beats():
    x, y = RNG.integers(0, 12, (2, 80)).astype(float)
    found = set(front(x, y).tolist())

    def beaten(k):
        return any(x[j] <= x[k] and y[j] <= y[k] and (x[j] < x[k] or y[j] < y[k]) for j in range(80))

    values = {(x[k], y[k]) for k in range(80) if not beaten(k)}
    assert {(x[k], y[k]) for k in found} == values
    assert len(found) == len(values)  # of equal ones, one


def test_scores_are_relative_to_the_published_design_and_order_leaves_out_what_keeps_not_all(tmp_path):
    study = load_study(study_file(tmp_path, objective={"largest": 3.0, "mean": 1.0}))
    columns = {
        "largest": np.array([2.0, 1.0, 4.0, 1.0]),
        "mean": np.array([1.0, 1.0, 1.0, 1.0]),
        "violations": np.array([0, 0, 0, 16]),
    }
    published = {"largest": np.array([4.0]), "mean": np.array([0.5])}
    # 3/4 of largest / 4 and 1/4 of mean / 0.5
    assert scores(study, columns, published).tolist() == [0.875, 0.6875, 1.25, 0.6875]
    assert order(study, columns, published).tolist() == [1, 0, 2]


def test_a_design_that_is_no_robot_is_refused(tmp_path):
    inputs = {"mass": {"range": [-1.0, 1.0], "sets": "link output mass"}}
    evaluator = Evaluator(load_study(study_file(tmp_path, inputs=inputs)))
    with pytest.raises(StudyError, match=r"this design is no robot: .*mass"):
        design_graph(evaluator, np.array([-0.5]))


# The states of a motion, and functions of its path.

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
    q, v, a = path.motion_of(np.exp(np.sin(path.q)))
    b, rate, acceleration = states.q, states.v, states.a
    g = np.exp(np.sin(b))
    first, second = g * np.cos(b), g * (np.cos(b) ** 2 - np.sin(b))
    # b goes over 2 rad; 16 points leave 1e-9 of the series, and each derivative takes two digits
    assert np.abs(q - g).max() < 1e-9
    assert np.abs(v - first * rate).max() < 1e-7
    assert np.abs(a - (second * rate**2 + first * acceleration)).max() < 1e-6


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
    q, v, a = path.motion_of(np.array(nodes))
    for k in range(0, 600, 41):
        exact = md.InverseDynamics(task).solve(*(x[k] for x in states[1:]))
        # rounding of strokes of 0.1 m, amplified by the second derivative of a polynomial of degree 15
        assert np.abs(q[k] - exact.coordinates[at]).max() < 1e-13
        assert np.abs(v[k] - exact.velocities[at]).max() < 1e-13
        assert np.abs(a[k] - exact.accelerations[at]).max() < 1e-12


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
