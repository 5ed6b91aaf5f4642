"""Many states with closed loops: rows as single calls, bad states marked, the same bits on any threads."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots import closed_robots
from helpers.robots.parallel_mechanisms import ankle, bricard, delta
from helpers.robots.planar_mechanisms import MECHANISMS, four_bar_by_cosines, same_angle
from helpers.robots.planar_robots import four_bar
from modular_dynamics.loops import solver_of

ROBOTS = "four_bar", "exoskeleton", "charmie_torso", "crane", "slider_crank"
COUNT = 300


#: Loops that are not planar.
NEWTON = {"ankle": ankle, "bricard": bricard, "delta": delta}
PLANAR = (*ROBOTS, "chained", "mimicked", "yoke")


@pytest.fixture
def load(load_robot):
    def make(name):
        if name in NEWTON:
            return md.load_urdf(NEWTON[name]().urdf())
        return load_robot(name) if name in ROBOTS else MECHANISMS[name]().graph()

    return make


@pytest.fixture(params=[*PLANAR, *NEWTON])
def graph(request, load):
    return load(request.param)


@pytest.fixture
def allowed(request):
    return 1e-9 if request.node.callspec.params["graph"] in NEWTON else 1e-10


@pytest.fixture(params=PLANAR)
def planar_graph(request, load):
    return load(request.param)


def motion(graph, count=COUNT, size=0.02):
    """States along a smooth motion that begins at the reference and stays away from singular ones."""
    solver = solver_of(graph)
    start, t = solver.reference()[solver.independent_q], np.linspace(0.0, 1.0, count)[:, None]
    phase = np.arange(len(start)) + 1.0
    q = start + size * np.sin(phase * t)
    return q, size * phase * np.cos(phase * t), -size * phase**2 * np.sin(phase * t)


def test_the_same_bits_on_any_number_of_threads(graph):
    states = motion(graph, 1000)
    one, four = (md.InverseDynamics(graph).solve_many(*states, threads=k) for k in (1, 4))
    assert np.array_equal(one.tau, four.tau)
    assert np.array_equal(one.coordinates, four.coordinates)


def test_given_guesses_make_rows_independent_of_each_other(graph, allowed):
    states = motion(graph)
    batch = md.InverseDynamics(graph).solve_many(*states)
    order = np.random.default_rng(0).permutation(COUNT)
    guesses = batch.coordinates[order]
    again = md.InverseDynamics(graph).solve_many(*(x[order] for x in states), guess=guesses)
    assert again.tau == pytest.approx(batch.tau[order], rel=allowed, abs=allowed * np.abs(batch.tau).max())
    one = md.InverseDynamics(graph).solve_many(*(x[:1] for x in states), guess=batch.coordinates[0])
    assert np.array_equal(one.tau, again.tau[order == 0])
    guesses[5] = np.nan
    marked = md.InverseDynamics(graph).solve_many(*(x[order] for x in states), guess=guesses)
    assert np.flatnonzero(marked.statuses).tolist() == [5]
    assert "finite" in marked.reasons[5]


@pytest.mark.parametrize("name", ["four_bar", "bricard"])
def test_bad_states_are_marked_and_spoil_no_other(load, name):
    graph = load(name).with_independent_joints("J3") if name == "four_bar" else load(name)
    q, v, a = motion(graph)
    expected = md.InverseDynamics(graph).solve_many(q, v, a)
    far = 3.0 if name == "four_bar" else q[0] - 2.0  # it cannot turn so far
    bad = {0: np.nan, 63: far, 64: np.inf, 150: far, 299: far}
    for row, value in bad.items():
        q[row] = value
    batch = md.InverseDynamics(graph).solve_many(q, v, a)
    status = {0: md.StateStatus.NO_STATE, 64: md.StateStatus.NO_STATE}
    marked = {row: status.get(row, md.StateStatus.CANNOT_CLOSE) for row in bad}
    assert {row: batch.statuses[row] for row in np.flatnonzero(batch.statuses)} == marked
    assert batch.reasons.keys() == bad.keys()
    assert "finite" in batch.reasons[0]
    assert np.isnan(batch.tau[list(bad)]).all()
    assert np.isnan(batch.coordinates[list(bad)]).all()
    good = batch.statuses == md.StateStatus.COMPUTED
    assert batch.tau[good] == pytest.approx(expected.tau[good], rel=1e-9, abs=1e-9)
    with pytest.raises(md.StateError, match=r"row 0: .*finite"):
        md.InverseDynamics(graph).solve_many(q, v, a, errors="raise")
    with pytest.raises(md.ClosureError, match="row 62: "):
        md.InverseDynamics(graph).solve_many(q[1:], v[1:], a[1:], errors="raise")


def test_a_singular_configuration_is_marked_as_one():
    """A parallelogram that would have to pass through its flat position, where two branches meet."""
    graph = four_bar(a=1.0, b=2.0, c=1.0, d=2.0).graph()
    q, rest = np.array([[2.5], [3.8], [2.6]]), np.zeros((3, 1))
    batch = md.InverseDynamics(graph).solve_many(q, rest, rest, guess=np.array([2.5, -2.5, -2.5]))
    assert batch.statuses.tolist() == [
        md.StateStatus.COMPUTED,
        md.StateStatus.SINGULAR,
        md.StateStatus.COMPUTED,
    ]
    assert "singular configuration" in batch.reasons[1]


def test_no_states_and_wrong_arguments(load_robot):
    graph = load_robot("four_bar")
    assert md.InverseDynamics(graph).solve_many(*np.zeros((3, 0, 1))).tau.shape == (0, 1)
    with pytest.raises(md.StateError, match="errors is 'ignore'"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2, 1)), errors="ignore")
    with pytest.raises(md.StateError, match=r"guess has shape \(2, 2\); \(3,\) or \(2, 3\)"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2, 1)), guess=np.zeros((2, 2)))
    with pytest.raises(md.StateError, match=r"guess, of all joints: .*finite"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2, 1)), guess=np.full(3, np.nan))
    with pytest.raises(md.StateError, match="q has shape"):
        md.InverseDynamics(graph).solve_many(*np.zeros((3, 2)))
    for states in (np.zeros((3, 1)), np.zeros((3, 2, 1))):
        for function in (md.inverse_dynamics, md.forward_dynamics, md.regressor):
            with pytest.raises(md.StateError, match="threads is 0; a whole number from 1 on"):
                function(graph, *states, guess=np.zeros(3), threads=0)
        with pytest.raises(md.StateError, match="threads is 0; a whole number from 1 on"):
            md.mass_matrix(graph, states[0], threads=0)


@pytest.fixture(params=[*ROBOTS, *MECHANISMS])
def any_graph(request, load):
    return load(request.param)


@pytest.mark.parametrize("size", [0.02, 0.2])
def test_random_motions_as_by_the_general_method(any_graph, size):
    """Rates that are no derivatives of the motion: a wrong product of two velocities would show."""
    graph, rng = any_graph, np.random.default_rng(1)
    q, _, _ = motion(graph, 90, size)
    v, a = rng.normal(size=(2, *q.shape))
    batch, guess = md.InverseDynamics(graph).solve_many(q, v, a), None
    for row, state in enumerate(zip(q, v, a, strict=True)):
        try:
            single = md.InverseDynamics(graph).solve(*state, guess=guess)
        except md.ModularDynamicsError:
            assert batch.statuses[row] != md.StateStatus.COMPUTED
            continue
        guess = single.coordinates
        assert batch.statuses[row] == md.StateStatus.COMPUTED
        scale = np.abs(single.tau).max()
        assert batch.tau[row] == pytest.approx(single.tau, rel=1e-9, abs=1e-9 * scale)
        assert batch.coordinates[row] == pytest.approx(guess, abs=1e-9)
        assert batch.tensions[row] == pytest.approx(list(single.tensions.values()), rel=1e-9)


def test_the_same_bits_for_any_number_of_rows(planar_graph):
    """Rows fall into lanes and blocks, the last ones beside copies of them; one row is a single call."""
    states = motion(planar_graph, 70)
    whole = md.InverseDynamics(planar_graph).solve_many(*states)
    for count in range(2, 70):
        part = md.InverseDynamics(planar_graph).solve_many(*(x[:count] for x in states))
        assert np.array_equal(part.tau, whole.tau[:count])
        assert np.array_equal(part.coordinates, whole.coordinates[:count])
    one = md.InverseDynamics(planar_graph).solve_many(*(x[:1] for x in states))
    assert one.tau[0] == pytest.approx(whole.tau[0], rel=1e-12, abs=1e-12 * np.abs(whole.tau[0]).max())


@pytest.mark.parametrize("turns", [-4.0, 3.0])
def test_several_turns_of_a_crank(turns):
    """Angles go on beyond a turn; by the law of cosines, and without a jump from row to row."""
    graph = four_bar().graph()
    q = np.linspace(0.4, 0.4 + 2.0 * np.pi * turns, 500)[:, None]
    start = md.InverseDynamics(graph).solve(q[0], np.zeros(1), np.zeros(1)).coordinates
    side = -1.0 if np.sin(start[1]) > 0.0 else 1.0
    batch = md.InverseDynamics(graph).solve_many(q, np.ones(q.shape), np.zeros(q.shape), guess=start)
    assert (batch.statuses == md.StateStatus.COMPUTED).all()
    assert np.abs(np.diff(batch.coordinates, axis=0)).max() < 0.5
    sides = [four_bar_by_cosines(*q[0], way) for way in (side, -side)]
    way = side if same_angle(sides[0], start) else -side
    for angle, coordinates in zip(q[:, 0], batch.coordinates, strict=True):
        assert same_angle(four_bar_by_cosines(angle, way), coordinates)
    turned = batch.coordinates[-1] - batch.coordinates[0]
    assert turned[:2] == pytest.approx([2.0 * np.pi * turns, -2.0 * np.pi * turns], abs=1e-9)


# M1, h1, g1 and forward dynamics of many states: as of single states; tau = M1 a + h1.

ROBOTS_OF_TERMS = "four_bar", "exoskeleton", "charmie_torso", "crane", "delta"


@pytest.fixture(params=ROBOTS_OF_TERMS)
def robot(request, load_robot):
    """With a spring, friction and an armature at the first joint."""
    robot = md.load_urdf(delta().urdf()) if request.param == "delta" else load_robot(request.param)
    joint = robot.independent_joint_names[0]
    values = {"stiffness": 20.0, "damping": 0.3, "armature": 0.1}
    return robot.with_parameters({f"joint {joint} {name}": value for name, value in values.items()})


def states(robot, count, seed=0):
    rng, solver = np.random.default_rng(seed), solver_of(robot)
    start = solver.reference()[solver.independent_q]
    q = start + 0.02 * rng.uniform(-1.0, 1.0, (count, len(start)))
    return q, *rng.normal(size=(2, *q.shape))


def test_forward_dynamics_inverts_inverse_dynamics(robot):
    q, v, a = states(robot, 6, 1)
    load = {robot.links[-1]: [1.0, 2.0, -3.0, 0.1, 0.2, 0.3]}
    for wrenches in (None, load):
        options = {"friction": "urdf", "external_wrenches": wrenches}
        tau = md.inverse_dynamics(robot, q, v, a, **options)
        assert md.forward_dynamics(robot, q, v, tau, **options) == pytest.approx(a, abs=1e-7)


def test_bad_states_are_named(load_robot):
    robot = load_robot("four_bar").with_independent_joints("J3")
    q, v, tau = states(robot, 8)
    q[1], v[2], tau[3] = 3.0, np.nan, np.inf
    assert md.mass_matrix(robot, q[:0]).shape == (0, 1, 1)
    for call in (
        lambda: md.mass_matrix(robot, q),
        lambda: md.gravity_torque(robot, q),
        lambda: md.close_loops(robot, q),
        lambda: md.forward_dynamics(robot, q, v, tau),
    ):
        with pytest.raises(md.ClosureError, match="row 1: "):
            call()
    with pytest.raises(md.StateError, match=r"row 0: v\[2\] of joint 'J3' is nan"):
        md.forward_dynamics(robot, q[2:4], v[2:4], tau[2:4])
    with pytest.raises(md.StateError, match=r"row 0: tau\[2\] of joint 'J3' is inf"):
        md.forward_dynamics(robot, q[3:4], v[3:4], tau[3:4])
    with pytest.raises(md.StateError, match=r"tau has shape \(8, 2\)"):
        md.forward_dynamics(robot, q, v, np.zeros((8, 2)))


def test_rows_of_different_lengths_are_named(load_robot):
    robot = load_robot("four_bar")
    with pytest.raises(md.StateError, match="v is not an array of numbers"):
        md.nonlinear_effects(robot, [[0.6], [0.7]], [[0.0], [0.0, 1.0]])


# Quantities of many states, one by one: rows are the single states, errors name theirs.

CRANE = closed_robots.STATES["crane"]


@pytest.fixture(scope="module")
def crane():
    return md.load_urdf(closed_robots.path("crane"))


@pytest.fixture
def crane_states():
    rng = np.random.default_rng(3)
    return CRANE + rng.uniform(-0.01, 0.01, (4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))


def parts(result):
    """A result as a tuple of arrays."""
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("guesses", ["none", "one", "each"])
@pytest.mark.parametrize(
    ("function", "more"),
    [
        (md.regressor, {"joint_terms": True}),
        (md.regressor, {}),
        (md.inverse_dynamics_derivatives, {"friction": "urdf"}),
    ],
)
def test_rows_are_the_single_states(crane, crane_states, function, more, guesses):
    closed = np.array([md.close_loops(crane, q) for q in crane_states[0]])
    given = {"none": None, "one": closed[0], "each": closed}[guesses]
    result = parts(function(crane, *crane_states, guess=given, **more))
    followed = md.close_loops(
        crane, crane_states[0], given
    )  # each row from the one before it, or its own guess
    for k, state in enumerate(zip(*crane_states, strict=True)):
        expected = parts(function(crane, *state, guess=followed[k], **more))
        assert all(np.array_equal(mine[k], own) for mine, own in zip(result, expected, strict=True))
    none = parts(function(crane, *(x[:0] for x in crane_states), **more))
    assert [x.shape for x in none] == [(0, *x.shape[1:]) for x in result]


@pytest.mark.parametrize("quantity", [md.regressor, md.inverse_dynamics_derivatives])
def test_bad_rows_are_named(crane, crane_states, quantity):
    q, v, a = crane_states
    with pytest.raises(md.StateError, match=r"q, v, a have 4, 3, 4 rows; one for each"):
        quantity(crane, q, v[:3], a)
    with pytest.raises(md.StateError, match=r"guess is not an array of numbers"):
        quantity(crane, q, v, a, guess=[[0.0] * 7, [0.0] * 6])
    v[2, 1] = np.nan
    with pytest.raises(md.StateError, match=r"^row 2: v"):
        quantity(crane, q, v, a)
    q[1] = 5.0
    with pytest.raises(md.ClosureError, match=r"^row 1: "):
        quantity(crane, q, a, a)
