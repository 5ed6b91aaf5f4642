"""What is made of a graph for computing stays with it: made once, freed with it, used by all threads."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import FUNCTIONS, FUNCTIONS_OF_NEW_ARRAYS, assert_close, random_states
from modular_dynamics.dynamics.core_robot import core_robot


def compute_everything(graph):
    q, v = np.full(graph.nq, 0.3), np.full(graph.nv, 0.2)
    tau = md.inverse_dynamics(graph, q, v, v)
    md.inverse_dynamics(graph, q, v, v, external_wrenches={graph.links[-1]: np.ones(6)})
    md.nonlinear_effects(graph, q, v)
    md.forward_dynamics(graph, q, v, tau)
    md.mass_matrix(graph, q)
    md.regressor(graph, q, v, v)
    md.inverse_dynamics_derivatives(graph, q, v, v)
    md.frame_poses(graph, q)
    md.jacobian(graph, q, graph.links[-1])
    md.forward_dynamics(graph, [q], [v], [tau])
    md.crosscheck.rnea_residual(graph, q, v, v)


def test_all_functions_share_what_is_made_of_a_graph(load_robot):
    graph = load_robot("four_link")
    robot = graph.once(core_robot)
    compute_everything(graph)
    assert graph.once(core_robot) is robot
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph)), graph.tree):
        compute_everything(other)
        assert other.once(core_robot) is not robot


def test_a_dropped_graph_is_freed():
    graph = md.load_urdf(ROBOTS / "four_link.urdf")
    compute_everything(graph)
    thread = threading.Thread(target=compute_everything, args=(graph,))
    thread.start()
    thread.join()
    there = weakref.ref(graph)
    del graph, thread
    gc.collect()
    assert there() is None


def test_no_more_is_kept_than_for_a_thousand_sets_of_links():
    graph = md.load_urdf(ROBOTS / "four_link.urdf")
    links = graph.links
    for k in range(1500):
        names = [links[k // len(links) ** n % len(links)] for n in range(4)]
        assert md.frame_poses(graph, np.zeros(4), names).shape == (4, 4, 4)
    assert len(graph._kept) <= 1024


# Batches equal single calls, whatever their size, threads, precision and angles; bad rows are named.

SHARED = np.zeros((5, 19))


def single_precision(*arrays):
    """The arrays in single precision, in which torques of many states then are computed."""
    with np.errstate(over="ignore"):
        return [np.asarray(x, np.float32) for x in arrays]


# forward dynamics, less exact, has its own test
ALL = FUNCTIONS | FUNCTIONS_OF_NEW_ARRAYS
EXACT = {name: function for name, function in ALL.items() if not name.startswith("forward")}


@pytest.mark.parametrize("name", EXACT)
@examples(30)
@given(tree=random_trees(largest=30))
def test_batches_equal_single_calls_on_random_trees(name, tree):
    graph = md.load_urdf(tree.urdf)
    states = random_states(graph, 11, tree.seed)
    function = EXACT[name]
    each = np.array([function(graph, *state) for state in zip(*states, strict=True)])
    assert_close(function(graph, *states), each, 1e-12)


@examples(40)
@given(tree=random_trees(largest=30))
def test_single_precision_on_random_trees(tree):
    graph = md.load_urdf(tree.urdf)
    states = random_states(graph, 11, tree.seed)
    single = md.inverse_dynamics(graph, *single_precision(*states))
    assert single.dtype == np.float32
    assert_close(single, md.inverse_dynamics(graph, *states), 1e-5)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(("robot", "count"), [("four_link", 2100), ("vendor_arm", 19)])
def test_options_and_no_states(load_robot, name, robot, count):
    graph, function = load_robot(robot, floating_base=robot == "vendor_arm"), EXACT[name]
    states = random_states(graph, count, 7)
    expected = function(graph, *(rows[-1] for rows in states))
    assert_close(function(graph, *states, threads=2)[-1], expected, 1e-12)
    if name in FUNCTIONS:
        out = np.empty((count, *expected.shape))
        result = function(graph, *states, threads=2, out=out)
        assert name == "derivatives" or result is out  # those are views of it
        assert_close(result[-1], expected, 1e-12)
    assert function(graph, *(rows[:0] for rows in states)).shape == (0, *np.shape(expected))


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1024, 1025, 10_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_row_is_computed(load_robot, count, threads):
    graph = load_robot("four_link")
    q, v, a = random_states(graph, count)
    tau = md.inverse_dynamics(graph, q, v, a, threads=threads)
    assert tau.shape == (count, graph.nv)
    for row in {0, count // 2, count - 1} if count else ():
        single = md.inverse_dynamics(graph, q[row], v[row], a[row])
        assert tau[row] == pytest.approx(single, abs=1e-12)


def test_wrenches_hold_for_every_state(load_robot):
    graph = load_robot("charmie")
    q, v, a = random_states(graph, 20)
    external, boxes = {"body_12a": np.arange(6.0)}, {"head": np.ones(6)}
    batch = md.inverse_dynamics(graph, q, v, a, external_wrenches=external, black_box_wrenches=boxes)
    expected = [
        md.inverse_dynamics(graph, *s, external_wrenches=external, black_box_wrenches=boxes)
        for s in zip(q, v, a, strict=True)
    ]
    np.testing.assert_allclose(batch, expected, atol=1e-12 * np.nanmax(np.abs(batch)), rtol=0)


def test_out_of_its_own_is_needed(load_robot):
    graph = load_robot("charmie")
    for shape, kind in (((5, 18), np.float64), ((5, 19), np.float32)):
        with pytest.raises(md.StateError, match=r"out is .*; .*contiguous float64 array \(5, 19\) is needed"):
            md.inverse_dynamics(graph, SHARED, SHARED, SHARED, out=np.zeros(shape, kind))
    with pytest.raises(md.StateError, match="out shares memory"):
        md.inverse_dynamics(graph, SHARED + 0.0, SHARED, SHARED + 0.0, out=SHARED)


def test_of_bad_rows_the_first_is_named_whatever_is_wrong(load_robot):
    graph = load_robot("four_link")
    q, v = np.zeros((2, 100, 4))
    v[17], v[60] = 1e200, np.nan
    with pytest.raises(md.StateError, match=r"row 17: .*so large"):
        md.inverse_dynamics(graph, q, v, v)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("converted", [lambda *arrays: arrays, single_precision])
def test_bad_quaternions_are_named(load_robot, converted):
    graph = load_robot("four_link", floating_base=True)
    q = np.tile(graph.neutral(), (30, 1))
    q[18, 6] = 1e200  # whose square overflows
    rates = np.zeros((30, graph.nv))
    with pytest.raises(md.StateError, match=r"row 18: .*(so large that the torques are not|is inf)"):
        md.inverse_dynamics(graph, *converted(q, rates, rates))
    with pytest.raises(md.StateError, match=r"finite, but so large"):
        md.inverse_dynamics(graph, q[18], rates[0], rates[0])
    q[2, 3:7] = 0.0
    with pytest.raises(md.StateError, match=r"row 2: .*zero quaternion"):
        md.inverse_dynamics(graph, *converted(q[:3], rates[:3], rates[:3]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bad", [-np.inf, np.nan])
def test_single_precision_refuses_angles_that_are_not_finite(load_robot, bad):
    graph = load_robot("four_link")
    q, rates = np.zeros((2, 20, 4))
    q[17, 2] = bad
    with pytest.raises(md.StateError, match=rf"row 17: q\[2\] of joint .* is {bad}"):
        md.inverse_dynamics(graph, *single_precision(q, rates, rates))


def test_single_precision_refuses_positions_of_which_it_loses_digits(load_robot):
    graph = load_robot("four_link")
    q, rates = np.zeros((2, 20, 4))
    q[17, 2] = -15.9
    assert md.inverse_dynamics(graph, *single_precision(q, rates, rates)).dtype == np.float32
    q[17, 2] = -16.5
    with pytest.raises(
        md.StateError, match=r"row 17: q\[2\] of joint 'left' is -16.5; .*less than 16 rad or m: give float64"
    ):
        md.inverse_dynamics(graph, *single_precision(q, rates, rates))
    assert np.isfinite(md.inverse_dynamics(graph, q, rates, rates)).all()
