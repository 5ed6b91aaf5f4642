"""Every public function on arrays that kernels cannot take as they are, unsupported robots, and nonsense."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import modular_dynamics as md
from helpers import tree_dynamics

FUNCTIONS = dict(tree_dynamics.FUNCTIONS)
FUNCTIONS["with a wrench"] = lambda g, *state, **out: md.inverse_dynamics(
    g, *state, external_wrenches={"left_branch": np.ones(6)}, **out
)
TAKING_OUT = [name for name in FUNCTIONS if name != "derivatives"]  # whose result is views of it


def misaligned(array):
    moved = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


@pytest.fixture
def graph(load_robot):
    return load_robot("four_link")


@pytest.fixture
def state(graph):
    return [np.arange(1.0, 1.0 + graph.nv) * k for k in (0.25, 0.5, 0.75)]  # exact in single precision


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_can_be_converted(graph, state, name):
    expected = FUNCTIONS[name](graph, *state)
    for change in (lambda x: x.tolist(), lambda x: np.repeat(x, 2)[::2], lambda x: x.astype(np.float32)):
        assert_array_equal(FUNCTIONS[name](graph, *map(change, state)), expected)


@pytest.mark.parametrize(
    "order", [(misaligned, lambda x: x.astype(">f8")), (lambda x: x.astype(">f8"), misaligned)]
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_misaligned_and_other_byte_order(graph, state, name, order):
    expected = FUNCTIONS[name](graph, *state)
    for change in order:
        for k in range(3):
            given = [change(x) if j == k else x for j, x in enumerate(state)]
            assert_allclose(FUNCTIONS[name](graph, *given), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", TAKING_OUT)
def test_the_result_is_written_into_out(graph, state, name):
    expected = FUNCTIONS[name](graph, *state)
    out = np.full_like(expected, np.nan)
    assert FUNCTIONS[name](graph, *state, out=out) is out
    assert_array_equal(out, expected)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_one_of_the_arguments(load_robot, name, which):
    graph = load_robot("charmie")
    state = list(np.random.default_rng(8).normal(size=(3, graph.nv)))
    expected = FUNCTIONS[name](graph, *state)
    assert_array_equal(FUNCTIONS[name](graph, *state, out=state[which]), expected)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "with a wrench"])
def test_with_out_nothing_is_allocated(load_robot, name):
    graph = load_robot("branched_38dof")
    state, function = np.ones((3, graph.nv)), FUNCTIONS[name]
    if name == "derivatives":
        function = md.inverse_dynamics_derivatives
    out = np.array(function(graph, *state))
    function(graph, *state, out=out)

    def growth_and_peak():
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(1000):
            function(graph, *state, out=out)
        now, peak = tracemalloc.get_traced_memory()
        return now - before, peak - before

    tracemalloc.start()
    try:
        growth, peak = min(growth_and_peak() for _ in range(3))  # others may allocate once
    finally:
        tracemalloc.stop()
    # an array of nv doubles has 304 bytes and its header 112, J has 1800; a call's frames, lists and
    # dictionary stay below
    assert growth < 300
    assert peak < 1500


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (misaligned, "not aligned"),
        (lambda x: x.astype(">f8"), ">f8"),
        (lambda x: np.repeat(x, 2, axis=-1)[..., ::2], "not contiguous"),
        (lambda x: x.astype(np.float32), "float32"),
        (lambda x: x[:-1].copy(), "float64"),
        (lambda x: x.tolist(), "list"),
    ],
)
@pytest.mark.parametrize("name", TAKING_OUT)
def test_an_out_of_another_kind_is_refused(graph, state, name, change, fault):
    expected = FUNCTIONS[name](graph, *state)
    out = change(np.full_like(expected, 7.0))
    with pytest.raises(md.StateError, match=f"out is .*{fault}.* is needed"):
        FUNCTIONS[name](graph, *state, out=out)
    assert (np.array(out) == 7.0).all()


def test_derivatives_are_views_of_out(graph, state):
    out = np.empty((3, graph.nv, graph.nv))
    found = md.inverse_dynamics_derivatives(graph, *state, out=out)
    assert all(np.shares_memory(part, out) for part in found)
    assert_array_equal(out, md.inverse_dynamics_derivatives(graph, *state))
    out.flags.writeable = False
    with pytest.raises(md.StateError, match=r"out is .*read-only"):
        md.inverse_dynamics_derivatives(graph, *state, out=out)


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("mass_matrix", "the mass matrix"),
        ("forward_dynamics", "forward dynamics"),
        ("derivatives", "derivatives of inverse dynamics"),
        ("regressor", "the regressor"),
    ],
)
def test_what_depends_on_the_masses_of_a_black_box_is_not_known(boxed_arm, name, quantity):
    with pytest.raises(md.StateError, match=f"{quantity} of .* is not known: its black boxes are tool"):
        FUNCTIONS[name](boxed_arm, *np.zeros((3, boxed_arm.nv)))


@pytest.mark.parametrize(
    "tag",
    [
        '<passive joint="bend"/>',
        '<gear joint="bend" driver="turn" ratio="-1"/>',
        '<spring name="s" stiffness="1" free_length="1"><anchor link="base"/><anchor link="left_branch"/>'
        "</spring>",
        '<loop_joint name="l" type="fixed"><predecessor link="base"/><successor link="left_branch"/>'
        "</loop_joint>",
    ],
)
def test_closed_loops_are_refused_by_name(graph, state, tag):
    closed = md.load_urdf(graph.urdf.replace("</modular_dynamics>", f"{tag}</modular_dynamics>"))
    for function in (
        lambda g, q, v, a: md.coriolis_matrix(g, q, v),
        md.compose,
        lambda g, *_: md.crosscheck.CrossCheck(g),
    ):
        with pytest.raises(md.UnsupportedModelError, match=r"of 'four_link' is not supported: it has"):
            function(closed, *state)


BAD_INPUT = {
    md.inverse_dynamics: [
        ({"q": np.zeros(3)}, r"q has shape \(3,\); 'charmie' needs \(19,\)"),
        ({"v": np.zeros((19, 1))}, r"v has shape \(19, 1\)"),
        ({"a": np.full(19, np.nan)}, r"a\[0\] of joint 'base_x' is nan"),
        ({"q": [0.0] * 4 + [np.inf] + [0.0] * 14}, r"q\[4\] of joint 'torso_pitch' is inf"),
        ({"q": "zero"}, "not an array of numbers"),
        (
            {"out": np.zeros(18)},
            r"out is float64 \(18,\); a writeable contiguous float64 array \(19,\) is needed",
        ),
        ({"q": np.zeros(19, complex)}, "complex numbers"),
        ({"v": np.full(19, 1e200)}, "so large that the torques are not"),
        ({"external_wrenches": {"body_5": "push"}}, "six finite numbers"),
        ({"external_wrenches": [1, 2]}, "a mapping of names to"),
        ({"external_wrenches": []}, "external_wrenches is .*a mapping"),
        ({"external_wrenches": {"nose": np.zeros(6)}}, "no link 'nose' in 'charmie'"),
        ({"external_wrenches": {"body_5": np.zeros(3)}}, "six finite numbers"),
        (
            {"external_wrenches": {"body_5": np.zeros(6), "body_7a": [np.inf] * 6}},
            "on link 'body_7a' is .inf",
        ),
        ({"black_box_wrenches": 5}, "a mapping of names to"),
        ({"black_box_wrenches": {"tail": np.zeros(6)}}, "no subsystem 'tail'.*left_arm"),
        ({"black_box_wrenches": {"head": [np.nan] * 6}}, "wrench of black box 'head'"),
    ],
    md.forward_dynamics: [
        ({"q": np.zeros(18)}, r"q has shape \(18,\)"),
        ({"tau": np.full(19, np.nan)}, r"tau\[0\] of joint 'base_x' is nan"),
        ({"v": np.full(19, 1e200)}, "so large that the accelerations"),
        ({"external_wrenches": {"nothing": np.zeros(6)}}, "no link 'nothing'"),
        ({"external_wrenches": np.zeros(6)}, "external_wrenches is .*a mapping"),
    ],
    md.inverse_dynamics_derivatives: [
        ({"q": np.zeros(18)}, r"q has shape \(18,\)"),
        ({"v": np.full(19, np.nan)}, r"v\[0\] of joint 'base_x' is nan"),
        ({"a": ["a"] * 19}, "a is not an array of numbers"),
        ({"v": np.full(19, 1e200)}, "so large that the derivatives"),
        ({"out": np.zeros((3, 19, 18))}, r"out is float64 \(3, 19, 18\); .* \(3, 19, 19\) is needed"),
        ({"external_wrenches": {"nothing": np.zeros(6)}}, "no link 'nothing'"),
        ({"external_wrenches": np.zeros(6)}, "external_wrenches is .*a mapping"),
    ],
    md.regressor: [
        ({"v": np.ones(18)}, r"v has shape \(18,\); 'charmie' needs \(19,\)"),
        ({"a": np.full(19, np.nan)}, r"a\[0\] of joint 'base_x' is nan"),
        ({"q": ["a"] * 19}, "q is not an array of numbers"),
        ({"v": np.full(19, 1e200)}, "finite, but so large that the elements of the regressor are not"),
        ({"out": np.empty((190, 19)).T}, "out is float64"),
    ],
    md.mass_matrix: [
        ({"q": np.full(19, np.nan)}, r"q\[0\] of joint 'base_x' is nan"),
        ({"out": np.empty((3, 3))}, r"out is float64 \(3, 3\)"),
    ],
}


@pytest.mark.parametrize(
    ("function", "change", "message"),
    [(function, *case) for function, cases in BAD_INPUT.items() for case in cases],
)
def test_bad_input_is_named(load_robot, function, change, message):
    graph = load_robot("charmie")
    names = {md.mass_matrix: ("q",), md.forward_dynamics: ("q", "v", "tau")}.get(function, ("q", "v", "a"))
    good = dict.fromkeys(names, np.zeros(19))
    with pytest.raises(md.StateError, match=message):
        function(graph, **good | change)
    assert np.isfinite(function(graph, **good)).all()  # the next good call is answered


ROWS = np.zeros((3, 4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda g: md.inverse_dynamics(g, ROWS + 1j, ROWS, ROWS),
            "q is not an array of numbers: compl",
        ),
        (lambda g: md.gravity_torque(g, 3.0), r"q has shape \(\)"),
        (lambda g: md.gravity_torque(g, None), "q is not an array of numbers"),
        (lambda g: md.gravity_torque(g, [[1], [1, 2]]), "q is not an array of numbers"),
        (lambda g: md.nonlinear_effects(g, ROWS, [[1], [1, 2]]), "v is not an array of numbers"),
        (
            lambda g: md.forward_dynamics(g, ROWS, ROWS, ROWS, external_wrenches=np.zeros(6)),
            "external_wrenches is .*a mapping",
        ),
    ],
)
def test_nonsense_in_batches_is_named(graph, call, message):
    with pytest.raises(md.StateError, match=message):
        call(graph)


def test_whole_numbers_of_numpy_are_threads(graph):
    tau = md.inverse_dynamics(graph, ROWS, ROWS, ROWS, threads=np.int64(2))
    assert_array_equal(tau, md.inverse_dynamics(graph, ROWS, ROWS, ROWS, threads=1))


@pytest.mark.parametrize("shared", ["q", "v", "a"])
@pytest.mark.parametrize("solve", [md.inverse_dynamics, md.forward_dynamics])
def test_out_that_is_an_argument_does_not_hide_an_overflow(load_robot, solve, shared):
    graph = load_robot("charmie")
    states = dict(zip("qva", np.zeros((3, graph.nv)), strict=True))
    states["v"][:] = 1e200
    with pytest.raises(md.StateError, match="finite, but so large that the"):
        solve(graph, *states.values(), out=states[shared])


@pytest.mark.parametrize("out", [True, False])
@pytest.mark.parametrize(
    "given", [{"threads": 0}, {"threads": "x"}, {"friction": None}, {"friction": np.array(["none", "urdf"])}]
)
def test_of_one_state_threads_and_friction_are_checked_too(load_robot, given, out):
    graph = load_robot("charmie")
    with pytest.raises(md.StateError, match=f"^{next(iter(given))} is "):
        md.inverse_dynamics(graph, *np.zeros((3, graph.nv)), out=np.empty(graph.nv) if out else None, **given)
