"""Many designs with closed loops: each as the robot that is written to URDF and loaded, and as MuJoCo."""

import re

import numpy as np
import pytest

import modular_dynamics as md
from helpers.random_examples.examples import rounds, some
from helpers.robots.parallel_mechanisms import ankle, bricard
from helpers.robots.planar_robots import four_bar
from modular_dynamics.loops import solver_of
from modular_dynamics.loops.assembly.assemble import Assembler
from papers.charmie_torso.mujoco_loops import MujocoLoops

ROBOTS = "four_bar", "exoskeleton", "charmie_torso", "crane", "slider_crank"
#: Of the torso: what a designer varies, and by how much.
TORSO = {
    "spring sr4 stiffness": 500.0,
    "spring sl4 free length": 0.02,
    "spring s5 initial force": 10.0,
    "spring s5 first anchor z": 0.02,
    "loop joint act5_pin successor y": 0.01,
    "joint act5_pivot origin y": 0.01,
    "joint act4_pivot origin z": 0.01,
    "link body_5 mass": 1.0,
    "gravity z": 1.0,
}
#: What takes a robot changed in full for each value, and what counts only where it is not zero.
FURTHER = {
    "spring s5 damping": 20.0,
    "link body_4 com z": 0.05,
    "joint neck_mount origin roll": 0.5,
    "joint head_tilt damping": 0.5,
    "joint act5 armature": 2.0,
    "joint act4 stiffness": 100.0,
}


def columns(graph, changes, designs, seed=0):
    """Parameters that vary by so much; upwards where they are zero."""
    rng = np.random.default_rng(seed)
    values = {name: graph.parameters[name].value for name in changes}
    return {
        name: values[name] + change * rng.uniform(-1.0 if values[name] else 0.0, 1.0, designs)
        for name, change in changes.items()
    }


def states(graph, designs, count, size=0.02, seed=0):
    """Random states near the reference."""
    rng, solver = np.random.default_rng(seed), solver_of(graph)
    shape = designs, count, len(solver.independent_v)
    q = solver.reference()[solver.independent_q] + size * rng.uniform(-1.0, 1.0, shape)
    return q, rng.normal(size=shape), rng.normal(size=shape)


def written(graph, parameters, k):
    """The k-th design, loaded from a URDF of its own."""
    changed = graph.with_parameters({name: column[k] for name, column in parameters.items()})
    return md.load_urdf(changed.to_urdf())


def assert_same(batch, k, i, single):
    assert batch.statuses[k, i] == md.StateStatus.COMPUTED
    assert batch.tau[k, i] == pytest.approx(single.tau, rel=1e-10, abs=1e-10 * np.abs(single.tau).max())
    assert batch.coordinates[k, i] == pytest.approx(single.coordinates, abs=1e-10)
    assert batch.tensions[k, i] == pytest.approx(list(single.tensions.values()), rel=1e-10)


def assert_all_as_written(graph, motion, parameters, batch, friction="none"):
    for k in range(len(batch.tau)):
        solver = md.InverseDynamics(written(graph, parameters, k), friction=friction)
        guess = solver_of(graph).reference()
        for i in range(batch.tau.shape[1]):
            single = solver.solve(*(x[k, i] for x in motion), guess=guess)
            assert_same(batch, k, i, single)
            guess = single.coordinates


@pytest.mark.parametrize("changes", [TORSO, TORSO | FURTHER], ids=["straight", "all"])
def test_designs_of_the_torso_are_robots_written_and_loaded(load_robot, changes):
    graph, count = load_robot("charmie_torso"), rounds(40, daily=8)
    parameters, motion = columns(graph, changes, count), states(graph, count, 3)
    batch = md.InverseDynamics(graph, friction="urdf").solve_many(*motion, parameters=parameters)
    assert_all_as_written(graph, motion, parameters, batch, "urdf")


@pytest.mark.filterwarnings("ignore:.*triangle inequality")
@pytest.mark.parametrize("name", ROBOTS)
def test_any_parameters(name, load_robot):
    """Of pairs of designs three parameters, drawn from all; some cannot be robots, some cannot close."""
    graph, rng = load_robot(name), np.random.default_rng(1)
    computed, seeds = 0, some(range(15))
    for seed in seeds:
        names = rng.choice(list(graph.parameters), 3, replace=False).tolist()
        parameters = columns(graph, dict.fromkeys(names, 2e-3), 2, seed)
        motion = states(graph, 2, 2, 0.01, seed)
        batch = md.InverseDynamics(graph).solve_many(*motion, parameters=parameters)
        for k in range(2):
            try:
                robot = graph.with_parameters({name: column[k] for name, column in parameters.items()})
            except md.ModelError:
                assert (batch.statuses[k] == md.StateStatus.NO_MODEL).all()
                continue
            guess = solver_of(graph).reference()
            for i in range(2):
                state = [x[k, i] for x in motion]
                try:
                    single = md.InverseDynamics(robot).solve(*state, guess=guess)
                except md.ClosureError:
                    assert batch.statuses[k, i] != md.StateStatus.COMPUTED
                    continue
                assert_same(batch, k, i, single)
                computed += 1
    assert computed >= 2 * len(seeds) // 3


def test_results_do_not_depend_on_threads_or_neighbours(load_robot):
    graph = load_robot("exoskeleton")
    names = [name for name in graph.parameters if name.startswith("spring ") and name.endswith("stiffness")]
    parameters, motion = columns(graph, dict.fromkeys(names, 100.0), 50), states(graph, 50, 20)
    one, two = (
        md.InverseDynamics(graph).solve_many(*motion, threads=count, parameters=parameters)
        for count in (1, 2)
    )
    assert np.array_equal(one.tau, two.tau)
    order = np.random.default_rng(0).permutation(50)
    shuffled = md.InverseDynamics(graph).solve_many(
        *(x[order] for x in motion), parameters={name: column[order] for name, column in parameters.items()}
    )
    assert shuffled.tau == pytest.approx(one.tau[order], rel=1e-12, abs=1e-12 * np.abs(one.tau).max())


def test_what_cannot_close_or_be_is_marked_and_spoils_no_other(load_robot):
    graph = load_robot("four_bar").with_independent_joints("J3")
    link = next(name for name in graph.parameters if name.startswith("link ") and name.endswith(" mass"))
    masses = np.array([1.0, -1.0, np.nan, 2.0, 3.0])
    q = np.tile(solver_of(graph).reference()[solver_of(graph).independent_q], (5, 3, 1))
    q[0, 1], q[3, 0], q[4, 2] = 3.0, np.inf, -2.9
    rest = np.zeros_like(q)
    batch = md.InverseDynamics(graph).solve_many(q, rest, rest, parameters={link: masses})
    bad, status = batch.statuses, md.StateStatus
    assert (bad[1:3] == status.NO_MODEL).all()
    assert (bad[0, 1], bad[3, 0], bad[4, 2]) == (status.CANNOT_CLOSE, status.NO_STATE, status.CANNOT_CLOSE)
    assert np.count_nonzero(bad) == 9
    assert (np.isnan(batch.tau[..., 0]) == (bad != 0)).all()
    assert len(batch.reasons) == 9
    assert "negative" in batch.reasons[3]
    assert "no assembly mode" in batch.reasons[1]
    assert "is inf" in batch.reasons[9]
    for k in (0, 3, 4):
        robot = graph.with_parameters({link: masses[k]})
        for i in np.flatnonzero(bad[k] == 0):
            assert_same(batch, k, i, md.InverseDynamics(robot).solve(q[k, i], rest[k, i], rest[k, i]))
    with pytest.raises(md.ClosureError, match="design 0, state 1: the loops of 'four_bar' do not close"):
        md.InverseDynamics(graph).solve_many(q, rest, rest, errors="raise", parameters={link: masses})


def test_sines_are_zero_at_a_singular_configuration():
    """A four-bar whose coupler and rocker come into line: the sine of the angle between them."""
    graph = four_bar(a=1.0, b=2.0, c=2.0, d=2.0).graph()
    q, rest = np.linspace(0.5, 2.8, 24)[:, None], np.zeros((24, 1))
    guess = md.close_loops(graph, q[0])
    mass = next(name for name in graph.parameters if name.endswith(" mass"))
    batch = md.InverseDynamics(graph).solve_many(
        q, rest, rest, guess=guess, parameters={mass: graph.parameters[mass].value}
    )
    # the transmission angle, by the law of cosines over the diagonal
    diagonal = 1.0 + 4.0 - 4.0 * np.cos(q[:, 0])
    cosine = (4.0 + 4.0 - diagonal) / 8.0
    reached = np.abs(cosine) < 1.0
    sine = np.sqrt(1.0 - cosine[reached] ** 2)
    assert batch.sines[reached] == pytest.approx(sine, abs=1e-12)


def test_turns_are_counted_from_the_guess_and_then_from_state_to_state():
    """A drag link, of which both cranks turn all round; a passive one passes half a turn from the guess."""
    graph = four_bar(a=2.0, b=2.0, c=2.2, d=1.0).graph()
    guess = md.close_loops(graph, [0.0])
    mass = next(name for name in graph.parameters if name.endswith(" mass"))
    for first in np.linspace(2.0, 4.0, 41):
        q = first + np.linspace(0.0, 0.4, 20)[None, :, None]
        rest = np.zeros_like(q)
        batch = md.InverseDynamics(graph).solve_many(q, rest, rest, guess=guess, parameters={mass: 1.0})
        coordinates = batch.coordinates[0]
        near = guess
        for angle in np.linspace(0.0, first, 60):
            near = md.close_loops(graph, [angle], near)
        assert coordinates[0] == pytest.approx(near, abs=1e-9)
        assert (np.abs(np.diff(coordinates, axis=0)) < 0.2).all()


def test_one_state_of_each_and_wrong_arguments(load_robot):
    graph = load_robot("four_bar")
    call, zeros = md.InverseDynamics(graph).solve_many, np.zeros((4, 1))
    mass = next(name for name in graph.parameters if name.endswith(" mass"))
    q = np.tile(solver_of(graph).reference()[solver_of(graph).independent_q], (4, 1))
    assert call(q, zeros, zeros, parameters={mass: [1.0, 2.0, 3.0, 4.0]}).tau.shape == (4, 1)
    assert call(q[:0], zeros[:0], zeros[:0], parameters={mass: np.zeros(0)}).tau.shape == (0, 1)
    with pytest.raises(md.UnknownNameError, match=f"no parameter '{mass}s'.*{mass}"):
        call(q, zeros, zeros, parameters={f"{mass}s": 1.0})
    with pytest.raises(md.StateError, match=r"q has shape \(4, 1\); with parameters of 3 designs"):
        call(q, zeros, zeros, parameters={mass: [1.0, 2.0, 3.0]})
    with pytest.raises(md.StateError, match=r"v has shape \(3, 1\)"):
        call(q, zeros[:3], zeros, parameters={mass: 1.0})
    with pytest.raises(md.StateError, match=r"guess has shape \(4, 3\); with parameters, \(3,\)"):
        call(q, zeros, zeros, guess=np.zeros((4, 3)), parameters={mass: 1.0})
    assert md.inverse_dynamics(graph, q, zeros, zeros, parameters={mass: 2.0}).shape == (4, 1)
    for options in ({"out": zeros}, {"external_wrenches": {}}):
        with pytest.raises(md.StateError, match="parameters go without wrenches and out"):
            md.inverse_dynamics(graph, q, zeros, zeros, parameters={mass: 2.0}, **options)
    with pytest.raises(md.StateError, match="mapping of names to columns"):
        call(q, zeros, zeros, parameters=[1.0])
    with pytest.raises(md.StateError, match="errors is 'ignore'"):
        call(q, zeros, zeros, parameters={mass: 1.0}, errors="ignore")


# Designs of loops that are not planar: each as the robot written to URDF and loaded, and as MuJoCo.


def of_ankle(graph):
    """Points of loops, origins and angles of joints, masses."""
    ends = " predecessor x", " successor y", " origin x", " origin roll", " mass"
    return [name for name in graph.parameters if name.endswith(ends) and graph.parameters[name].value != 0.0]


def test_designs_are_robots_written_and_loaded():
    graph = md.load_urdf(ankle().urdf())
    motion, parameters = states(graph, 20, 6), columns(graph, dict.fromkeys(of_ankle(graph), 2e-3), 20, 1)
    batch = md.InverseDynamics(graph).solve_many(*motion, errors="raise", parameters=parameters)
    assert_all_as_written(graph, motion, parameters, batch)


def test_mujoco_agrees():
    graph = md.load_urdf(bricard().urdf())
    masses = [name for name in graph.parameters if name.endswith(" mass")]
    changes = {name: 0.05 for name in masses if graph.parameters[name].value > 0.1}
    changes["loop joint pin predecessor x"] = 2e-3
    motion, parameters = states(graph, 20, 6), columns(graph, changes, 20, 1)
    batch = md.InverseDynamics(graph).solve_many(*motion, parameters=parameters)
    for k, torques in enumerate(batch.tau):
        changed = graph.with_parameters({name: column[k] for name, column in parameters.items()})
        text = changed.to_urdf().replace(' rpy="0.0 0.0 0.0"', "")
        peer = MujocoLoops(text, graph.independent_joint_names)
        for i, tau in enumerate(torques):
            peer(*(x[k, i] for x in motion))
            assert tau == pytest.approx(peer.tau, abs=1e-9 * np.abs(peer.tau).max())


def test_planar_loops_that_leave_their_plane_and_still_close():
    """The cut keeps two points together in its own plane only: it may be turned out of that of the rods."""
    text = four_bar().graph().to_urdf()
    graph = md.load_urdf(re.sub(r'(<loop_joint[^>]*type=")revolute', r"\1planar", text))
    assert graph.loop_joints[0].type == "planar"
    name = "loop joint loop predecessor roll"
    parameters = {name: graph.parameters[name].value + np.array([0.0, 0.05, 0.1, -0.1, 0.2])}
    motion = states(graph, 5, 4)
    batch = md.InverseDynamics(graph).solve_many(*motion, errors="raise", parameters=parameters)
    assert np.isnan(batch.sines[1:]).all()
    assert np.isfinite(batch.sines[0]).all()
    assert_all_as_written(graph, motion, parameters, batch)


def test_designs_out_of_reach_are_searched_once(monkeypatch):
    """Of the second design one rod ends ten metres away; of the first all states are computed."""
    graph, calls, search = md.load_urdf(ankle().urdf()), [], Assembler.search
    monkeypatch.setattr(Assembler, "search", lambda *args, **kw: calls.append(1) or search(*args, **kw))
    name = next(one for one in of_ankle(graph) if one.startswith("loop joint "))
    parameters = {name: graph.parameters[name].value + np.array([0.0, 10.0])}
    batch = md.InverseDynamics(graph).solve_many(*states(graph, 2, 20), parameters=parameters)
    assert (batch.statuses[0] == md.StateStatus.COMPUTED).all()
    assert (batch.statuses[1] == md.StateStatus.CANNOT_CLOSE).all()
    assert "do not close with all joints free" in batch.reasons[39]
    assert len(calls) == 1
