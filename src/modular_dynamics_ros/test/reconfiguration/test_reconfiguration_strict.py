"""Changes with inertias that no body can have: refused where `strict` is true, else a warning in the log."""

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

NO_BODY = {"link": "right_branch", "load": (1.0, (0.0,) * 3, (0.1, 0.1, 1.0))}
XX = {"names": ["link lower_stem inertia xx"], "values": [5.0]}
TRIANGLE = "breaks the triangle inequality"


def test_strict_refuses_them_and_the_robot_stays_as_it_is(make, described, load, loaded):
    client = make(strict=True).activate()
    client.is_answered_by(described)
    response = client.call("SetPayload", **NO_BODY)
    assert response.error_code == response.BAD_STATE, response.error_message
    assert response.error_message.startswith("strict: the inertia of the payload on link 'right_branch' ")
    assert f"{TRIANGLE} (principal moments 0.1, 0.1, 1 kg m^2" in response.error_message
    response = client.call("SetModelParameters", **XX)
    assert response.error_code == response.BAD_STATE, response.error_message
    assert "strict: the inertia of link 'lower_stem' " in response.error_message
    assert "(principal moments 0.0016, 0.016, 5 kg m^2" in response.error_message
    client.is_answered_by(described)
    assert client.call("SetPayload", link="left_branch", load=load).success
    client.is_answered_by(loaded(described))


def test_strict_drops_them_from_what_a_file_has_kept(make, described, tmp_path, capfd, load, loaded):
    path = tmp_path / "changes.yaml"
    client = make(changes_file=str(path)).activate()
    assert client.call("SetPayload", link="left_branch", load=load).success
    for kind, fields in (("SetPayload", NO_BODY), ("SetModelParameters", XX)):
        assert client.call(kind, **fields).success
    client.close()
    text = path.read_text()
    capfd.readouterr()
    client = make(changes_file=str(path), strict=True).activate()
    log = capfd.readouterr().err
    dropped = "a change is dropped: "
    assert f"{dropped}payload of 1 kg on 'right_branch': strict: the inertia of the payload" in log
    assert f"{dropped}link lower_stem inertia xx = 5: strict: the inertia of link 'lower_stem'" in log
    client.is_answered_by(loaded(described))
    assert path.read_text() == text  # as of other changes that do not fit the first description


def test_without_strict_each_is_in_the_log_once(make, tmp_path, capfd, load):
    """When it is made, and again when it is read from a file; not at the changes of other things."""
    path = tmp_path / "changes.yaml"
    client = make(changes_file=str(path)).activate()
    assert client.call("SetPayload", **NO_BODY).success
    assert client.call("SetPayload", link="left_branch", load=load).success
    assert client.call("SetModelParameters", **XX).success
    log = client.said("3 changes in force", capfd)
    assert [log.count(f"{what} {TRIANGLE}") for what in ("'right_branch'", "'lower_stem'")] == [1, 1]
    client.close()
    capfd.readouterr()
    client = make(changes_file=str(path)).activate()
    assert client.call("SetPayload", link="left_branch").success
    log = client.said("2 changes in force", capfd)
    assert [log.count(f"{what} {TRIANGLE}") for what in ("'right_branch'", "'lower_stem'")] == [1, 1]
