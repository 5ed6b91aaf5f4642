"""Which robot may answer a serialised joint state as it is: one to which it must belong."""

import pytest

from helpers.nodes.sessions.succession_stage import S, Stage

pytestmark = pytest.mark.ros


@pytest.mark.parametrize("stamp", [None, 3 * S])
def test_only_the_only_robot_answers_what_is_serialised(monkeypatch, stamp):
    stage = Stage(monkeypatch)
    one = stage.add(stamp, "a")
    one.answer = lambda data, info, since: True
    stage.send(4, "a")
    assert one.got == []  # but answered
    other = stage.add(stamp and 5 * S, "a")
    other.answer = one.answer
    stage.send(8, "a")
    assert other.got == [8]
    stage.time += 1.0
    stage.send(8, "a")  # this one finds the first robot gone
    stage.send(8, "a")
    assert other.got == [8, 8]


def test_while_another_description_may_have_them_none_is_answered_as_it_is(monkeypatch):
    stage, awaited = Stage(monkeypatch), [6 * S]
    stage.succession._awaits = lambda after, until: any(after < stamp <= until for stamp in awaited)
    one = stage.add(4 * S, "a")
    one.answer = lambda data, info, since: True
    stage.send(5, "a")
    assert one.got == [5]
    awaited.clear()
    stage.send(5, "a")
    assert one.got == [5]  # the second one as it is


def test_none_overtakes_those_that_wait_for_a_description(monkeypatch):
    """Until they are looked at again, also where none is awaited any more."""
    stage, awaited = Stage(monkeypatch), [6 * S]
    stage.succession._awaits = lambda after, until: any(after < stamp <= until for stamp in awaited)
    one = stage.add(4 * S, "a")
    one.answer = lambda data, info, since: one.got.append("as it is") or True
    stage.send(7, "a")
    awaited.clear()
    stage.send(8, "a")
    assert one.got == []
    stage.succession.look_again()
    stage.send(9, "a")
    assert one.got == [7, 8, "as it is"]


def test_the_robot_learns_since_when_it_is_so(monkeypatch):
    stage, since = Stage(monkeypatch), []
    for stamp in (None, 4 * S):
        one = stage.add(stamp, "a")
        one.answer = lambda data, info, since_when: since.append(since_when) or True
        stage.send(5, "a")
        stage.time += 1.0
        stage.send(5, "a")
    stage.send(5, "a")
    assert since == [0, 0, 4 * S]


def test_a_refused_robot_answers_nothing_as_it_is(monkeypatch):
    stage = Stage(monkeypatch)
    one = stage.add(1 * S, "a")
    one.answer = lambda data, info, since: True
    stage.refuse(2 * S)
    stage.send(3, "a")
    assert one.causes == ["robot refused"]
