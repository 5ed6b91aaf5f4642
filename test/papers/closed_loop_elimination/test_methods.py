"""Symbolic methods TE, DE and IC: against the published case, the numeric core and each other; counts."""

import operator
from xml.etree import ElementTree

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.exceptions import StateError, UnsupportedModelError
from papers.closed_loop_elimination.counting import WEIGHTS, Count, OperationGraph, count
from papers.closed_loop_elimination.exoskeleton import CASE, reference_inertias
from papers.closed_loop_elimination.methods import METHODS, Method
from papers.closed_loop_elimination.planar_bodies import PlanarModel
from papers.closed_loop_elimination.symbols import import_casadi
from urdf.generators.exoskeleton import urdf_text

#: Operations of the exoskeleton's terms, exactly: generation is deterministic. Behind each, its weighted sum
#: and the paper's (Schappler et al., Table 1).
COUNTS = {
    ("TE", "gravity_torque"): Count(275, 385, 31, 3, 22, 0, 156),  # 1175, the paper's 2343
    ("TE", "mass_matrix"): Count(576, 699, 34, 3, 20, 0, 351),  # 1977, the paper's 3754
    ("TE", "velocity_torque"): Count(2419, 3256, 159, 3, 20, 0, 1124),  # 7650, the paper gives none
    ("TE", "spring_torque"): Count(20, 40, 3, 2, 8, 0, 23),  # 185
    ("DE", "gravity_torque"): Count(234, 313, 13, 3, 38, 5, 151),  # 1220, the paper's 1975
    ("DE", "mass_matrix"): Count(569, 666, 14, 3, 36, 5, 354),  # 2095, the paper's 3899
    ("DE", "velocity_torque"): Count(2166, 2892, 70, 3, 36, 5, 1064),  # 6852
    ("DE", "spring_torque"): Count(20, 40, 3, 2, 8, 0, 23),  # 185
    ("IC", "gravity_torque"): Count(149, 159, 6, 0, 24, 0, 109),  # 681, the paper's 1804
    ("IC", "mass_matrix"): Count(502, 550, 6, 0, 22, 0, 285),  # 1581, the paper's 4001
    ("IC", "velocity_torque"): Count(1968, 2058, 18, 0, 22, 0, 833),  # 5151
    ("IC", "spring_torque"): Count(19, 24, 2, 1, 10, 0, 18),  # 174
    ("IC", "torque"): Count(2150, 2214, 20, 1, 26, 0, 899),  # 5608, the paper gives none
}
#: The projection W, which the paper's IC needs for each term, and g and M of the open tree.
PART_COUNTS = {
    "W": Count(35, 48, 6, 0, 18, 0, 45),  # 332, the paper's 386
    "g": Count(130, 98, 0, 0, 24, 0, 91),  # 559, the paper's 1418
    "M": Count(528, 440, 0, 0, 22, 0, 286),  # 1474, the paper's 3615
}
TOLERANCE = 1e-9


@pytest.fixture(scope="module")
def graph():
    return md.load_urdf(ROBOTS / "exoskeleton.urdf")


@pytest.fixture(scope="module", params=METHODS)
def name(request):
    return request.param


@pytest.fixture(scope="module", params=[False, True], ids=["numbers", "symbols"])
def method(request, graph, name):
    return Method(graph, name, symbolic=request.param)


def random_states(count=6):
    """Independent coordinates within the joints' published limits, rates and accelerations."""
    rng = np.random.default_rng(7)
    low = np.array([-1.5, -2.3, 0.05, 0.05, -3.0])
    high = np.array([0.75, 0.5, 1.5, 1.5, 3.0])
    return [(rng.uniform(low, high), *rng.normal(size=(2, 5))) for _ in range(count)]


def given(method, q):
    """The coordinates that a method's terms depend on."""
    return md.close_loops(method.graph, q) if method.method == "IC" else q


def close(result, expected):
    np.testing.assert_allclose(result, expected, rtol=0.0, atol=TOLERANCE * max(1.0, np.abs(expected).max()))


def test_the_published_case(name):
    graph = md.load_urdf(urdf_text(reference_inertias()))
    q = np.radians(CASE["q1_deg"])
    method = Method(graph, name, symbolic=True)
    close(method.evaluate(method.gravity_torque, given(method, q)), CASE["g1"])
    close(method.evaluate(method.mass_matrix, given(method, q)), CASE["M1"])
    for q, v, a in random_states(3):  # inertias without zeros, as in no other test here
        expected = md.inverse_dynamics(graph, q, v, a)
        close(method.evaluate(method.torque, given(method, q), v, a), expected)


def test_terms_are_those_of_the_numeric_core(graph, method):
    for q, v, a in random_states():
        at = given(method, q)
        close(method.evaluate(method.projection, at), md.explicit_constraint_jacobian(graph, q))
        close(method.evaluate(method.gravity_torque, at), md.gravity_torque(graph, q))
        close(method.evaluate(method.mass_matrix, at), md.mass_matrix(graph, q))
        expected = md.inverse_dynamics(graph, q, v, a)  # springs included
        close(method.evaluate(method.torque, at, v, a), expected)
        rest, moving = (md.inverse_dynamics(graph, q, rates, 0 * a) for rates in (0 * v, v))
        close(method.evaluate(method.velocity_torque, at, v), moving - rest)
        close(method.evaluate(method.spring_torque, at), rest - md.gravity_torque(graph, q))


@pytest.mark.parametrize("turned", ["theta_10", "theta_14", "rho_5", "rho_3"])
def test_axes_that_point_the_other_way(graph, name, turned):
    tree = ElementTree.fromstring(graph.urdf)
    joint = tree.find(f"joint[@name='{turned}']")
    joint.find("axis").set("xyz", "0 0 -1")
    limit = joint.find("limit")
    lower, upper = -float(limit.get("upper")), -float(limit.get("lower"))
    limit.set("lower", str(lower))
    limit.set("upper", str(upper))
    for gear in tree.iter("gear"):
        for driver in gear.iter("driver"):
            if turned == driver.get("joint"):
                driver.set("ratio", str(-float(driver.get("ratio"))))
    turned_graph = md.load_urdf(ElementTree.tostring(tree, encoding="unicode"))
    method = Method(turned_graph, name)
    sign = np.array([-1.0 if joint == turned else 1.0 for joint in graph.independent_joint_names])
    for q, v, a in random_states(2):
        expected = md.inverse_dynamics(turned_graph, sign * q, v, a)
        close(method.evaluate(method.torque, given(method, sign * q), v, a), expected)


@pytest.mark.parametrize("robot", ["four_bar", "crane"])
def test_other_mechanisms_of_dyads(name, robot):
    graph = md.load_urdf(ROBOTS / f"{robot}.urdf")
    method = Method(graph, name)
    reference = md.close_loops(graph, np.zeros(len(graph.independent_joint_names)))
    own = [graph.q_slice(joint).start for joint in graph.independent_joint_names]
    for step in (0.05, 0.1):
        q, v, a = reference[own] + step, np.full(len(own), 0.7), np.full(len(own), -1.3)
        expected = md.inverse_dynamics(graph, q, v, a)
        close(method.evaluate(method.torque, given(method, q), v, a), expected)


@pytest.mark.parametrize(("name", "term"), COUNTS, ids="-".join)
def test_counts_are_exactly_these(graph, name, term):
    method = Method(graph, name, symbolic=True)
    assert method.count(getattr(method, term)) == COUNTS[name, term]


def test_counts_do_not_depend_on_the_last_digit_of_an_angle(graph, monkeypatch):
    """Which differs from processor to processor."""
    own = PlanarModel.best_offsets

    def best_offsets(model):
        offsets = own(model)
        return offsets * (1.0 + np.arange(len(offsets)) * np.finfo(float).eps)

    monkeypatch.setattr(PlanarModel, "best_offsets", best_offsets)
    method = Method(graph, "TE", symbolic=True)
    assert method.count(method.gravity_torque) == COUNTS["TE", "gravity_torque"]


def test_counts_of_the_projection_and_of_the_open_tree_are_exactly_these(graph):
    method = Method(graph, "IC", symbolic=True)
    M, g = method.open_tree
    assert {"W": method.count(method.projection), "g": method.count(g), "M": method.count(M)} == PART_COUNTS


def test_counting():
    ca = import_casadi()
    x = ca.SX.sym("x", 3)
    angle = x[0] + x[1]
    # one sum, its sine and cosine, a product of both, a quotient; stored: the sum, the sine, two results
    term = ca.vertcat(ca.sin(angle) * ca.cos(angle), ca.sin(x[1] + x[0]) / x[2])
    method_count = Count(add=1, mul=1, div=1, sin=2, assign=4)
    graph = OperationGraph()
    outputs = graph.read(ca.Function("f", [x], [term]))
    assert len(outputs) == 2
    assert count(term, [x]) == method_count
    assert method_count.weighted == 1 + 1 + 4 + 20 + 4
    assert list(WEIGHTS.values()) == [1, 1, 4, 5, 10, 15, 1]


def test_refusals(graph):
    message = "the parent of prismatic joint 'piston_slide' is not a revolute"
    with pytest.raises(UnsupportedModelError, match=message):
        Method(md.load_urdf(ROBOTS / "slider_crank.urdf"), "IC")
    with pytest.raises(StateError, match="unknown method 'XY'; the methods are TE, DE, IC"):
        Method(graph, "XY")
    crossed = graph.with_independent_joints("rho_1", "rho_2", "theta_9", "rho_5", "rho_7")
    with pytest.raises(UnsupportedModelError, match="each with two unknown joints; unsolved: loop"):
        Method(crossed, "IC")


RULES = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": operator.neg, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "atan2": np.arctan2,
}  # fmt: skip


def evaluated(graph, outputs, inputs):
    """What the counted operations give: an interpreter of their own."""
    done = []
    for kind, *operands in graph.nodes:
        if kind == "const":
            done += operands
        elif kind == "in":
            done.append(inputs[operands[0]][operands[1]])
        else:
            done.append(RULES[kind](*(done[k] for k in operands)))
    return np.array([done[k] for k in outputs])


@pytest.mark.parametrize("term", ["gravity_torque", "velocity_torque", "mass_matrix", "projection", "torque"])
def test_the_counted_operations_give_the_term(graph, method, term):
    q, v, a = random_states(1)[0]
    ca = import_casadi()
    entries = ca.sparsify(ca.vec(getattr(method, term)))
    rows = entries.sparsity().get_triplet()[0]
    operations = OperationGraph()
    outputs = operations.read(ca.Function("term", method.inputs, [entries]))
    at = given(method, q)
    result = np.zeros(entries.shape[0])
    result[rows] = evaluated(operations, outputs, [at, v, a, method.constants.numbers])
    close(result, method.evaluate(getattr(method, term), at, v, a).ravel(order="F"))
