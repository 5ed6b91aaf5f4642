"""Symbolic equations against the numeric form, Lagrange's equations, Christoffel's symbols, and as Python."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.c_compiler import CFunctions, needs_gcc
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.robots.cubes import cubes
from helpers.robots.lagrangian_benchmarks import crane, double_pendulum, four_module_branch
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.tree_dynamics import assert_close
from modular_dynamics.modular.equations import closed_form

sympy = pytest.importorskip("sympy")

from modular_dynamics.modular.equations.symbolic import (  # noqa: E402  # needs SymPy
    Definitions,
    _text,
    exact,
    number_of_terms,
    written_out,
)

TOLERANCE = 1e-12
ROBOTS = {
    "branch": four_module_branch(),
    "crane": crane(),
    "double pendulum": double_pendulum(),
    "chain": cubes(6, seed=3),
    "tree": cubes(12, branched=True, seed=4),
}


def vectors_of(name, q, v, a):
    return {"M": (q,), "C": (q, v), "N": (q,), "tau": (q, v, a)}[name]


def assert_equal(equations, graph, function_of, q, v, a, forces=()):
    """All four functions, relative to the torques' terms."""
    numeric, links = closed_form(graph), equations.loaded_links
    wrenches = [dict(zip(links, forces, strict=True))] if links else []
    more = [list(equations.values.values())] if equations.values else []
    size = np.abs(numeric.M(q)).max() * max(np.abs(v).max(), 1.0) + np.abs(numeric.N(q)).max()
    for name in ("M", "C", "N", "tau"):
        state, is_loaded = vectors_of(name, q, v, a), name in ("N", "tau")
        expected = getattr(numeric, name)(*state, *(wrenches if is_loaded else ()))
        given = [*state, *more, *([np.ravel(forces)] if links and is_loaded else [])]
        assert_close(function_of(name, expected.shape)(*given), expected, TOLERANCE, size)


def in_python(equations):
    return lambda name, _shape: equations.python_function(name)


def in_c(equations, folder):
    (folder / "robot.c").write_text(equations.c99("robot"), encoding="ascii")
    functions = CFunctions(SimpleNamespace(source=folder / "robot.c", prefix="robot"))
    return lambda name, shape: lambda *vectors: functions.call(name, shape, *vectors)[1]


@needs_gcc
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("name", ROBOTS)
def test_it_is_the_numeric_form_in_python_and_in_c(name, parameters, tmp_path):
    graph, rng = md.load_urdf(ROBOTS[name]), np.random.default_rng(7)
    equations = closed_form(
        graph, symbolic=True, parameters=parameters, wrenches=(graph.links[0], *graph.links[-2:])
    )
    for function_of in (in_python(equations), in_c(equations, tmp_path)):
        assert_equal(equations, graph, function_of, *rng.normal(size=(3, graph.nv)), rng.normal(size=(3, 6)))


@needs_gcc
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
def test_a_floating_base_is_the_numeric_form_s(parameters, tmp_path):
    """Joints keep their numbers; the quaternion need not be of unit length; M and C know no pose."""
    graph, rng = md.load_urdf(ROBOTS["branch"]), np.random.default_rng(8)
    floating = md.load_urdf(ROBOTS["branch"], floating_base=True)
    equations = closed_form(
        graph, symbolic=True, floating_base=True, parameters=parameters, wrenches=graph.links[-2:]
    )
    assert [*map(str, equations.q)][6:9] == ["ez", "q1", "q2"]
    q, v, a = rng.normal(size=floating.nq), *rng.normal(size=(2, floating.nv))
    for function_of in (in_python(equations), in_c(equations, tmp_path)):
        assert_equal(equations, floating, function_of, q, v, a, rng.normal(size=(2, 6)))
    assert not {*equations.q[:7]} & equations.written_out("M").free_symbols
    assert "x y z ew ex ey ez: root_joint" in str(equations)


@given(joint_trees(7, ("revolute", "continuous", "prismatic")))
@examples(8)
def test_it_is_the_numeric_form_of_oblique_axes_with_armature_and_springs(tree):
    graph = tree.graph
    equations = closed_form(graph, symbolic=True)
    assert_equal(equations, graph, in_python(equations), *tree.state(graph))


def zero(expression):
    return sympy.simplify(sympy.expand(expression, trig=True)) == 0


def test_double_pendulum_is_lagrange_s():
    equations = closed_form(md.load_urdf(double_pendulum()), symbolic=True, parameters="symbols")
    m1, m2, l1, l2, g, r1 = (sympy.Symbol(name) for name in ("m1", "m2", "l2", "r2", "g", "r1"))
    tau = equations.written_out("tau").subs(r1, l1)  # the mass of rod 1 is where rod 2 begins
    # the facts have angles against the vertical, th1 = q1 and th2 = q1 + q2, and divide by l1 and l2
    th1, th2, w1, w2, a1, a2 = sympy.symbols("th1 th2 w1 w2 a1 a2")
    d = th1 - th2
    first = (m1 + m2) * l1 * a1 + m2 * l2 * a2 * sympy.cos(d) + m2 * l2 * w2**2 * sympy.sin(d)
    first += (m1 + m2) * g * sympy.sin(th1)
    second = (
        m2 * l2 * a2 + m2 * l1 * a1 * sympy.cos(d) - m2 * l1 * w1**2 * sympy.sin(d) + m2 * g * sympy.sin(th2)
    )
    (q1, q2), (v1, v2), (b1, b2) = equations.q, equations.v, equations.a
    relative = {q1: th1, q2: th2 - th1, v1: w1, v2: w2 - w1, b1: a1, b2: a2 - a1}
    ours = tau.subs(relative, simultaneous=True)
    assert zero(ours[0] - l1 * first - l2 * second)
    assert zero(ours[1] - l2 * second)


def test_crane_is_lagrange_s():
    equations = closed_form(md.load_urdf(crane()), symbolic=True, parameters="symbols")
    M, m, length, g = (sympy.Symbol(name) for name in ("m1", "m2", "r2", "g"))
    th, rate = equations.q[1], equations.v[1]
    x_dd, th_dd = equations.a
    tau = equations.written_out("tau")
    force = (M + m) * x_dd + m * length * th_dd * sympy.cos(th) - m * length * rate**2 * sympy.sin(th)
    swing = length * th_dd + x_dd * sympy.cos(th) + g * sympy.sin(th)
    assert zero(tau[0] - force)
    assert zero(tau[1] - m * length * swing)


def test_c_has_christoffel_s_symbols_of_m():
    graph = md.load_urdf(cubes(3, seed=1))
    equations = closed_form(graph, symbolic=True)
    M, C, q, v = equations.written_out("M"), equations.written_out("C"), equations.q, equations.v
    for i, j in np.ndindex(3, 3):
        sums = sum(
            (M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i])) * v[k] / 2 for k in range(3)
        )
        assert zero(C[i, j] - sums)
    assert any(entry != 0 for entry in C)


def test_small_equations_print_written_out():
    printed = str(closed_form(md.load_urdf(crane()), symbolic=True)).splitlines()
    assert "  q1: drive" in printed
    assert "M[1,1] = 3.5" in printed
    assert "M[1,2] = 0.3*cos(q2)" in printed
    assert "C[1,2] = -0.3*v2*sin(q2)" in printed
    assert "N[2] = 2.943*sin(q2)" in printed
    pendulum = str(closed_form(md.load_urdf(double_pendulum()), symbolic=True, parameters="symbols"))
    assert "M[2,2] = m2*r2**2" in pendulum
    assert "sin(q1 + q2)" in pendulum


def test_large_equations_print_intermediate_expressions():
    equations = closed_form(md.load_urdf(cubes(8, seed=1)), symbolic=True)
    assert "c2 = cos(q2)" in str(equations).splitlines()
    with pytest.raises(md.UnsupportedModelError, match=r"M of 'chain of 8' .* terms, more than 1000"):
        equations.written_out("M")


def test_generation_does_not_explode():
    """Operations and intermediate expressions grow less than with the cube of the number of modules."""
    few, many = (closed_form(md.load_urdf(cubes(n, seed=2)), symbolic=True) for n in (6, 12))
    for name, count in many.operations.items():
        assert count < 8 * few.operations[name], name
    assert len(many.definitions) < 8 * len(few.definitions)


def test_a_base_alone_has_no_equations():
    base = md.load_urdf('<robot name="base"><link name="v0"/></robot>')
    equations = closed_form(base, symbolic=True)
    assert equations.M.shape == closed_form(base).M([]).shape == (0, 0)
    assert equations.python_function("tau")([], [], []).tolist() == []
    with pytest.raises(md.UnsupportedModelError, match="'base' has no joints"):
        equations.c99("base")


@pytest.mark.parametrize("prefix", ["", "2link", "a-b", "é", None])
def test_prefixes_that_are_no_names_in_c_are_refused(prefix):
    with pytest.raises(md.exceptions.StateError, match="cannot be a prefix in C"):
        closed_form(md.load_urdf(crane()), symbolic=True).c99(prefix)


def test_six_virtual_joints_move_a_base():
    axes, body = np.eye(3), inertial(2.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    links = ["ground", *(f"virtual{k}" for k in range(1, 6)), "base", "arm"]
    parts = [f'<link name="{name}">{body if name in ("base", "arm") else ""}</link>' for name in links]
    for k in range(7):
        kind = "prismatic" if k < 3 else "continuous"
        parts.append(joint(f"j{k}", kind, *links[k : k + 2], (0, 0, 0.5 * (k > 5)), axis=axes[k % 3]))
    graph = md.load_urdf(robot("floating organism", parts))
    state = np.random.default_rng(8).normal(size=(3, 7))
    equations = closed_form(graph, symbolic=True)
    assert_equal(equations, graph, in_python(equations), *state)
    assert_close(closed_form(graph).tau(*state), md.inverse_dynamics(graph, *state))
    assert np.linalg.eigvalsh(closed_form(graph).M(state[0])).min() > 0.0


def test_wrong_options_are_named():
    graph = md.load_urdf(crane())
    with pytest.raises(md.StateError, match="'numbers' or 'symbols'"):
        closed_form(graph, symbolic=True, parameters="letters")
    with pytest.raises(md.StateError, match="no link 'hook'"):
        closed_form(graph, symbolic=True, wrenches=("hook",))
    equations = closed_form(graph, symbolic=True)
    with pytest.raises(md.StateError, match=r"M of .* takes q \(2,\)"):
        equations.python_function("M")([0.1, 0.2, 0.3])
    with pytest.raises(md.StateError, match="none of the functions M, C, N, tau"):
        equations.written_out("V")


def test_without_sympy_the_error_says_what_to_install(monkeypatch):
    for name in [
        name for name in sys.modules if name.startswith("modular_dynamics.modular.equations.symbolic")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(md.MissingDependencyError, match=r"is not installed: pip install sympy$"):
        closed_form(md.load_urdf(crane()), symbolic=True)


# Exact numbers, named expressions, and writing them out.

a, b, q1, q2, s, c = sympy.symbols("a b q1 q2 s c")


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (np.cos(np.pi / 2), 0),
        (-1.0 - 2e-16, -1),
        (0.03 + 0.06, sympy.Rational(9, 100)),
        (1e-9, sympy.Rational(1, 10**9)),
        (-0.1, sympy.Rational(-1, 10)),
    ],
)
def test_rounding_does_not_count(number, expected):
    assert exact(number) == expected
    assert exact(1e-20, 0.0) == sympy.Rational(1, 10**20)  # nothing was rounded there


def test_equal_expressions_have_one_name_whatever_their_sign():
    definitions = Definitions()
    first = definitions.named(a - b, "x")
    assert definitions.named(a - b, "y") == first
    assert definitions.named(b - a, "z") == -first
    for plain in (0, sympy.Rational(3, 2), a, -a, 2 * a):  # need no name
        assert definitions.named(plain, "x") == plain
    assert len(definitions.table) == 1


def test_squares_add_up_and_sums_of_angles_are_found():
    table = {s: sympy.sin(q1), c: sympy.cos(q1)}
    assert written_out("M", a * s**2 + a * c**2 + b, table, 100) == a + b
    product = c * sympy.cos(q2) - s * sympy.sin(q2)
    assert written_out("M", product, table, 100) == sympy.cos(q1 + q2)


def test_terms_are_counted_as_if_multiplied_out():
    table = {s: a + b, c: s * (a + 1)}
    assert number_of_terms(c**2 + s, table, {}) == 18
    with pytest.raises(
        md.UnsupportedModelError, match="an entry written out may have 18 terms, more than 17"
    ):
        written_out("an entry", c**2 + s, table, 17)


def test_fractions_are_shown_as_decimal_numbers():
    assert _text(a * sympy.Rational(9, 100) + 2) == "0.09*a + 2"
