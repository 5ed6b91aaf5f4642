"""Constants as expressions of named lengths and angles, and textbook energies with them."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.exceptions import UnsupportedModelError
from papers.closed_loop_elimination.exoskeleton import generic, named, random_states, urdf
from papers.closed_loop_elimination.methods import METHODS, Method
from papers.closed_loop_elimination.named_constants import NamedConstants
from papers.closed_loop_elimination.textbook import Textbook, inertial_parameters

VALUES = {"L1": 0.31, "L2": 0.1234, "eta1": 0.7}


def value(constants, expression, numbers):
    """The expression at other lengths and angles."""
    function = constants.ca.Function("f", [constants.symbols], [expression])
    return float(function(numbers))


@pytest.mark.parametrize(
    ("number", "kind", "at_other_values"),
    [
        (0.31 - 0.1234, "d", 2.0 - 5.0),
        (-0.31 * np.sin(0.7), "d", -2.0 * np.sin(0.4)),
        (0.1234 + 0.31 * np.cos(0.7), "d", 5.0 + 2.0 * np.cos(0.4)),
        (0.7 - np.pi / 2, "a", 0.4 - np.pi / 2),
        (np.pi, "a", np.pi),
        (-np.cos(0.7), "n", -np.cos(0.4)),
        (-1.0, "n", -1.0),
        (0.0, "d", 0.0),
    ],
)
def test_a_number_becomes_an_expression_that_holds_for_other_values(number, kind, at_other_values):
    constants = NamedConstants(VALUES)
    found = value(constants, constants.scalar(number, kind), [2.0, 5.0, 0.4])
    assert found == pytest.approx(at_other_values, abs=1e-12)


@pytest.mark.parametrize(("values", "number", "count"), [(VALUES, 0.2, 0), (VALUES | {"L3": 0.31}, 0.31, 2)])
def test_a_number_that_is_no_expression_or_several(values, number, count):
    with pytest.raises(UnsupportedModelError, match=f"^{number} is {count} expressions of L1, L2, eta1"):
        NamedConstants(values).scalar(number, "d")


@pytest.fixture(scope="module", params=METHODS)
def method(request):
    return Method(md.load_urdf(urdf(generic())), request.param, named=named(generic()))


def test_the_lengths_and_angles_are_the_only_constants_besides_masses(method):
    method.torque  # noqa: B018  (derives)
    names = [name for name in method.constants.parameters if not name.startswith("i")]
    assert names == [*named(generic())]
    assert len(names) == 20


def test_textbook_energies_give_the_librarys_terms(method):
    graph, derived = method.graph, Textbook(method)
    M1, g = derived.mass_matrix(method.projection), derived.gravity_torque()
    if method.method == "IC":
        g = method.projection.T @ g
    function = method.ca.Function("terms", derived.inputs, [M1, g])
    masses = inertial_parameters(urdf(generic()))
    for q, v, a, coordinates in zip(*random_states(graph, 4), strict=True):
        given = coordinates if method.method == "IC" else q
        found = function(given, v, a, method.constants.numbers, masses)
        assert found[0].full() == pytest.approx(md.mass_matrix(graph, q), abs=1e-12)
        assert found[1].full()[:, 0] == pytest.approx(md.gravity_torque(graph, q), abs=1e-12)


def test_each_body_has_a_mass_of_its_own(method):
    derived = Textbook(method)
    M1 = derived.mass_matrix(method.projection)
    for i in derived.inertias:
        mass = derived.inertias[i][0]
        # the first body's axis is fixed and through its origin
        assert method.ca.depends_on(M1, mass) == (i != 1)
