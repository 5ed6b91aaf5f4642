import itertools

import numpy as np
import pytest

from helpers.studies import study_file
from modular_dynamics.study import Evaluator, designs_between, load_study
from modular_dynamics.study.study import Input, Sampling


def test_a_row_of_a_catalogue_sets_several_parameters_and_one_value_mirrored_ones(tmp_path):
    (tmp_path / "rows.yaml").write_text("light: {m: 4, c: 0.05, most: 9}\nheavy: {m: 6, c: 0.07, most: 9}\n")
    inputs = {
        "output": {"catalogue": "rows.yaml", "sets": {"m": "link output mass", "c": "link output com x"}},
        "place": {
            "range": [0.0, 0.01],
            "sets": ["link crank com y", {"parameter": "link coupler com y", "factor": -1, "offset": 0.5}],
        },
    }
    study = load_study(study_file(tmp_path, inputs=inputs))
    assert study.inputs[0].label(1.0) == "heavy"
    found = Evaluator(study).parameters(np.array([[1.0, 0.01], [0.0, 0.004]]))
    assert {name: column.tolist() for name, column in found.items()} == {
        "link output mass": [6.0, 4.0],
        "link output com x": [0.07, 0.05],
        "link crank com y": [0.01, 0.004],
        "link coupler com y": [pytest.approx(0.49), pytest.approx(0.496)],
    }


def test_ranges_have_their_ends_exactly(tmp_path):
    inputs = {"a": {"range": [0.1, 0.7], "steps": 7, "sets": "link output mass"}}
    one = load_study(study_file(tmp_path, inputs=inputs)).inputs[0]
    found = one.on_grid(np.arange(7))
    assert (found[0], found[-1]) == (0.1, 0.7)
    assert found == pytest.approx(np.linspace(0.1, 0.7, 7), rel=1e-15)
    assert one.at(np.array([0.0, 1.0])).tolist() == [0.1, 0.7]


INPUTS = (
    Input("length", low=1.0, high=2.0, steps=5),
    Input("choice", labels=("a", "b", "c"), columns=(("value", (7.0, 8.0, 9.0)),)),
    Input("width", low=-1.0, high=1.0, steps=3),
)


def test_the_grid_is_all_combinations_the_last_input_fastest():
    found = designs_between(INPUTS, Sampling(), 0, 45)
    expected = itertools.product([1.0, 1.25, 1.5, 1.75, 2.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 1.0])
    assert found.tolist() == [list(one) for one in expected]


@pytest.mark.parametrize("kind", ["grid", "sobol"])
def test_a_design_follows_from_its_index_alone(kind):
    sampling = Sampling(kind, 45, 3)
    whole = designs_between(INPUTS, sampling, 0, 45)
    for first, last in ((0, 7), (7, 8), (8, 45), (31, 40)):
        assert np.array_equal(designs_between(INPUTS, sampling, first, last), whole[first:last])
