import numpy as np

from helpers.studies import study_file
from modular_dynamics.study import load_study
from modular_dynamics.study.evaluation import front, order, scores

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
