import numpy as np
import pytest

from helpers.studies import FOUR_BAR, study_file
from modular_dynamics.study import Evaluator, evaluated_rows, load_study
from modular_dynamics.study.findings import findings_of
from modular_dynamics.study.report import shares
from modular_dynamics.study.store import Store, parquet_bytes

INPUTS = {
    "coupler": {"list": [0.1, 0.105, 0.11], "sets": "loop joint J2 successor x"},
    "mass": {"list": [4, 5], "sets": "link output mass"},
}


def findings(folder, change=None, **changes):
    """Of a study that was computed here; ``change`` may put other loads into its result."""
    study = load_study(study_file(folder, **changes))
    store = Store(folder / "out", study)
    store.open()
    store.decide(study.count)
    columns = evaluated_rows(Evaluator(study), 0, study.count)
    if change is not None:
        change(columns)
    store.write_chunk(0, parquet_bytes(columns))
    store.finish()
    return findings_of(study, store)


def test_shares_of_a_sum_are_those_of_its_terms(tmp_path):
    """y = 3 a + b with independent a of three values, b of two: variances 9 * 2/3 and 1/4."""

    def add(columns):
        columns["largest"] = 3.0 * columns["input coupler"] + columns["input mass"]

    found = shares(findings(tmp_path, add, inputs=INPUTS, keep={}), "largest")
    assert found == pytest.approx({"coupler": 6.0 / 6.25, "mass": 0.25 / 6.25})


def test_a_product_leaves_a_share_to_inputs_together(tmp_path):
    """y = a b with a of -1, 0, 1: the mean over a is 0 for each b, so that b alone has no share."""

    def multiply(columns):
        columns["mean"] = (columns["input coupler"] - 1.0) * (columns["input mass"] + 1.0)

    found = shares(findings(tmp_path, multiply, inputs=INPUTS, keep={}), "mean")
    # E[y | a] = 1.5 a, variance 2.25 * 2/3; Var y = E[a^2] E[b^2] = 2/3 * 2.5
    assert found == pytest.approx({"coupler": 1.5 / (5.0 / 3.0), "mass": 0.0}, abs=1e-15)


def test_only_designs_that_keep_everything_count_and_a_constant_load_has_no_shares(tmp_path):
    def spoil(columns):
        columns["largest"] = np.where(columns["input mass"] == 1, 1e9, columns["input coupler"])
        columns["mean"][:] = 2.0
        columns["violations"][columns["input mass"] == 1] = 32

    found = findings(tmp_path, spoil, inputs=INPUTS, keep={})
    assert shares(found, "largest") == pytest.approx({"coupler": 1.0, "mass": 0.0})
    assert all(np.isnan(list(shares(found, "mean").values())))


def test_a_range_that_is_sampled_is_divided_into_parts(tmp_path):
    inputs = {**FOUR_BAR["inputs"], "coupler": {"range": [0.0, 1.0], "sets": "link output com y"}}

    def slope(columns):
        columns["largest"] = columns["input coupler"].copy()

    sampling = {"kind": "sobol", "designs": 512, "seed": 1}
    found = shares(findings(tmp_path, slope, inputs=inputs, keep={}, sampling=sampling), "largest")
    # within one of 20 parts a uniform number keeps 1/400 of its variance
    assert found["coupler"] == pytest.approx(1.0 - 1.0 / 400.0, abs=1e-3)
    assert found["motion"] < 0.02
