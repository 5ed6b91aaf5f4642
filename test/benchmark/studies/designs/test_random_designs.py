"""Random designs of the torso: the batch, robots of their own, MuJoCo, and the rules agree."""

from benchmark.studies.designs.random_designs import differences


def test_few_designs_agree():
    worst = differences(3, 2, seed=1)
    assert 0.0 < worst["single calls"] < 1e-10
    assert 0.0 < worst["MuJoCo"] < 1e-9
    assert 0.0 < worst["equilibrium"] < 1e-9
