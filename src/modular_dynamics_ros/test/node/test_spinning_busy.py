"""dynamics_node as a process with busy_wait: it is awake, answers, and still does all else."""

import os
import signal
import time
from contextlib import closing

import pytest
from modular_dynamics_interfaces.srv import GetSubsystemGraph
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.process_probe import NODE, ProcessProbe
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


class Probe(ProcessProbe):
    def answered(self, count):
        """Send joint states until this many are answered."""
        self.efforts.clear()

        def sent():
            assert self.processes.code(NODE) is None, self.processes.log(NODE)
            message = JointState(name=NAMES, position=Q.tolist(), velocity=V.tolist())
            message.header.stamp = stamp_message(time.time_ns())
            self.states.publish(message)
            return len(self.efforts) >= count

        self.spin_until(sent, self.processes.log(NODE))

    def ask(self, kind, service, request):
        client = self.client(kind, f"{NODE}/{service}")
        future = client.call_async(request)
        self.spin_until(future.done)
        return future.result()

    def processor_time(self, seconds):
        """What the process uses in a time [s]."""

        def used():
            with open(f"/proc/{self.processes.pid(NODE)}/stat", encoding="ascii") as file:
                user, system = file.read().rpartition(")")[2].split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(seconds)
        return used() - before


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_a_node_that_is_awake_does_all_that_it_should(tmp_path, four_link, source):
    with closing(Probe(tmp_path)) as probe:
        given = f"robot_description_file:={four_link}", f"acceleration_source:={source}", "filter_cutoff:=1.0"
        probe.processes.start(NODE, "autostart:=true", "busy_wait:=true", "stale_after:=30.0", *given)
        probe.answered(30)
        if source == "zero":
            assert all(effort == pytest.approx(expected(four_link), abs=1e-12) for effort in probe.efforts)
        assert probe.ask(GetSubsystemGraph, "get_subsystem_graph", GetSubsystemGraph.Request()).success
        awake = probe.processor_time(0.5)
        value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=False)
        change = SetParameters.Request(parameters=[Parameter(name="busy_wait", value=value)])
        assert probe.ask(SetParameters, "set_parameters", change).results[0].successful
        assert 3.0 * probe.processor_time(0.5) < awake
        probe.answered(5)
        os.kill(probe.processes.pid(NODE), signal.SIGINT)
        probe.spin_until(lambda: probe.processes.code(NODE) is not None)
        assert (probe.processes.code(NODE), "Traceback" in probe.processes.log(NODE)) == (0, False)


def test_a_joint_state_that_restarts_the_filter_ends_no_node_that_is_awake(tmp_path, four_link):
    """It comes from another publisher, with one joint more."""
    with closing(Probe(tmp_path)) as probe:
        given = f"robot_description_file:={four_link}", "acceleration_source:=filtered", "filter_cutoff:=1.0"
        probe.processes.start(NODE, "autostart:=true", "busy_wait:=true", "stale_after:=30.0", *given)
        probe.answered(30)
        time.sleep(0.3)  # a pause that restarts it
        other = JointState(name=[*NAMES, "another"], position=[0.0] * 5, velocity=[0.0] * 5)
        other.header.stamp = stamp_message(time.time_ns())
        probe.states.publish(other)
        probe.spin_until(lambda: "the stamps have a gap" in probe.processes.log(NODE))
        probe.answered(5)
        assert "skipped, unexpectedly" not in probe.processes.log(NODE)


def test_a_signal_ends_a_node_that_is_awake(tmp_path, four_link):
    with closing(Probe(tmp_path)) as probe:
        probe.processes.start(
            NODE, "autostart:=true", "busy_wait:=true", f"robot_description_file:={four_link}"
        )
        probe.answered(3)
        os.kill(probe.processes.pid(NODE), signal.SIGTERM)
        probe.spin_until(lambda: probe.processes.code(NODE) is not None)
        assert probe.processes.code(NODE) == 0
