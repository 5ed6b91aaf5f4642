import modular_dynamics as md
import modular_dynamics.crosscheck
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck


def test_a_robot_can_be_compared(four_link):
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == ""


def test_a_check_that_fails_says_why(four_link, monkeypatch):
    def broken(*arguments):
        raise IndexError("out of range")

    monkeypatch.setattr(md.crosscheck.CrossCheck, "__call__", broken)
    assert PinocchioCheck.of(load_robot(four_link)).unavailable == "IndexError: out of range"
