from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import modular_dynamics as md
from examples.demo.evaluation import evaluate, print_torques
from examples.demo.pictures import draw_torques
from examples.demo.playing import Recorder

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
COUNT, START = 20, 10**18


@pytest.fixture
def recorder(root):
    """A recorder of a perfect node at rest: 20 states, 5 ms apart, processed after 1 ms."""
    node = Recorder(md.load_urdf(root / "urdf/charmie.urdf"))
    solver, rest = md.InverseDynamics(node.graph), np.zeros(19)
    for k in range(COUNT):
        stamp, q = START + k * 5_000_000, np.full(19, 0.05 * k)
        node.states[stamp] = q, rest, rest
        result = solver.solve(q, rest, rest)
        node.torques[stamp] = result.tau
        node.state_arrivals[stamp], node.answer_arrivals[stamp] = stamp, stamp + 1_000_000
        for index, subsystem in enumerate(node.graph.subsystems):
            node.wrenches[subsystem.name][stamp] = result.connection_wrench_in_link(index)
    yield node
    node.destroy_node()


def test_a_perfect_run_has_no_failures(recorder):
    result = evaluate(recorder, COUNT, COUNT)
    assert result.failures(1e-9) == []
    assert (result.expected, result.received, result.processed) == (COUNT, COUNT, COUNT)
    assert result.relative < 1e-12
    assert result.latency.p99 == pytest.approx(0.001)
    assert result.latency.rate == pytest.approx(200.0)
    # Goncalves et al., Table 1: 55.6 kg x 9.81 m/s^2, 545.4 N to the paper's digit, in every pose at rest
    assert result.weight == pytest.approx(55.6 * 9.81, abs=0.05)
    assert np.ptp(result.weight) < 1e-9


def test_a_disagreement_is_named_and_fails(recorder):
    recorder.torques[START][recorder.graph.v_slice("head_pan").start] += 1e-6
    result = evaluate(recorder, COUNT, COUNT)
    assert result.disagreement["head"] == pytest.approx(1e-6, rel=1e-6)
    assert result.disagreement["base"] < 1e-9
    (failure,) = result.failures(1e-9)
    assert "differ from Pinocchio's" in failure


def test_lost_messages_fail(recorder):
    lost = evaluate(recorder, COUNT + 2, COUNT + 2).failures(1e-9)
    assert lost == [f"of {COUNT + 2} joint states sent {COUNT} were received"]
    cut_short = evaluate(recorder, COUNT + 2, COUNT).failures(1e-9)
    assert cut_short == [f"the player sent {COUNT} joint states; the motion has {COUNT + 2}"]
    del recorder.torques[START]
    assert evaluate(recorder, COUNT, COUNT).failures(1e-9) == ["1 of 20 joint states were not processed"]
    del recorder.wrenches["head"][START], recorder.wrenches["head"][START + 5_000_000]
    assert "missing for 1 answers" in evaluate(recorder, COUNT, COUNT).failures(1e-9)[1]


def test_no_answer_at_all_is_a_failure_not_a_crash(recorder):
    recorder.torques.clear()
    result = evaluate(recorder, COUNT, COUNT)
    assert result.failures(1e-9) == ["20 of 20 joint states were not processed"]


def test_a_missing_reference_is_reported(recorder):
    recorder.states[START] = (*recorder.states[START][:2], np.full(19, np.nan))
    assert "no reference was received for 1 answers" in evaluate(recorder, COUNT, COUNT).failures(1e-9)[0]


def test_the_table_and_the_plot(recorder, tmp_path):
    result, text = evaluate(recorder, COUNT + 3, COUNT + 1), StringIO()
    print_torques(Console(file=text, width=80), recorder.graph, result)
    for words in ("21 / 20", "left_arm", "545.4"):
        assert words in text.getvalue()
    path = draw_torques(recorder.graph, result, tmp_path / "torques.png")
    assert path.read_bytes().startswith(b"\x89PNG")
