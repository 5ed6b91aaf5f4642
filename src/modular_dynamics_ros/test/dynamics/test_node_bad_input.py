"""dynamics_node: other inputs; states that cannot be answered are named, and answered by nothing."""

import time

import numpy as np
import pytest

from helpers.nodes.dynamics_harness import expected
from helpers.nodes.lone_node import receive
from helpers.nodes.sessions.lone_session import LoneSession, S
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"q": [0.1, float("nan"), 0.1, 0.1]}, "position of 'bend' is NaN or infinite"),
        ({"effort": [0.0] * 5}, "effort has 5 values for 4 joint names"),
    ],
)
def test_a_bad_state_is_named_once_and_the_next_good_one_answered(active, four_link, capfd, message, words):
    capfd.readouterr()
    stamps = [active.send(**message) for _ in range(20)]
    good = active.answer()  # answers keep the order of the states: nothing before it is still to come
    assert good.effort.tolist() == expected(four_link).tolist()
    assert all(active.torque_of(stamp) is None for stamp in stamps)
    log = capfd.readouterr().err
    assert log.count(words) == 1
    assert sum(active.node.session.record.counts.rejected.values()) == 20


def test_while_the_filter_starts_nothing_is_answered_and_that_is_said_once(four_link):
    session = LoneSession(four_link, acceleration_source="filtered")
    assert [len(session.send(1.0 + 0.002 * k)) for k in range(10)] == [0] * 5 + [1] * 5
    assert session.record.counts.rejected == {"filter starts": 5}
    assert session.node.log._logger.warning.call_count == 1


def test_external_wrenches_act_on_links(four_link):
    session = LoneSession(four_link, stale_after=30.0)
    wrench = np.array([0.0, 0.0, -5.0, 0.0, 0.0, 0.0])
    now = time.time()  # the middleware's clock says how long a message has waited
    session.node.time = round(now * S)
    stamp = stamp_message(session.node.time)
    for link in ("nonsense", "left_branch"):
        receive(session.node, "~/external_wrench", WrenchWriter().write(stamp, link, wrench))
    (torques,) = session.send(now)
    loaded = expected(four_link, external_wrenches={"left_branch": wrench})
    assert torques.effort == pytest.approx(loaded, abs=1e-13)
    assert "external wrench refused: no link 'nonsense'" in session.node.log.texts("wrenches")[0]
