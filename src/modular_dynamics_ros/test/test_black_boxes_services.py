"""dynamics_node with four_link's right branch as a black box, and the sensor that holds that branch."""

from contextlib import ExitStack, closing
from time import monotonic

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.srv import IdentifyPayload as Identify
from modular_dynamics_interfaces.srv import SetPayload, TareBlackBox

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Harness
from helpers.wrenches import in_carrying_link
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.node.spinning import finish

BOX, PERIOD = "right_branch", 0.005
LATER = 250_000_000  # [ns] after a change of the pose, until when wrenches of the pose before may come
OFFSET = np.array([4.0, -2.0, 7.0, 0.3, -0.1, 0.2])
TRIES = 20
# ends of refusals where joint states or wrenches have not come in time; of refused ones more is said
LATE = "it is not known whether the robot is at rest", "came between the joint states meanwhile"
KINDS = {"tare_black_box": TareBlackBox, "identify_payload": Identify}


class Boxed(Harness):
    """Its sensor is fixed to upper_stem. The branch's joint stands at zero.

    Attributes:
        q, v: of turn, bend and left. noise: standard deviation [N and N m]. offset: of the sensor (6,).
        stalled: no joint states are sent, only wrenches.
    """

    def __init__(self, path, partition, **parameters):
        super().__init__(robot_description_file=path, partition_file=partition, **parameters)
        self.graph, self.rng = md.load_urdf(path), np.random.default_rng(5)
        self.q, self.v = np.zeros((2, 3))
        self.noise, self.offset, self.frame = 0.0, OFFSET, "upper_stem"
        self.sensor = self.probe.create_publisher(WrenchStamped, f"dynamics_node/black_box/{BOX}/wrench", 100)
        self.clients = {name: self.client(kind, f"dynamics_node/{name}") for name, kind in KINDS.items()}
        self._next, self.stalled = 0.0, False

    def held(self, q):
        """What holds the branch at rest, by the graph that knows its mass."""
        solution = md.InverseDynamics(self.graph).solve([*q, 0.0], np.zeros(4), np.zeros(4))
        return solution.tau[:3], in_carrying_link(self.graph, BOX, solution.connection_wrenches[2])[1]

    def feed(self):
        """A joint state and a wrench of the same stamp, at times."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + PERIOD
        stamp = self.node.now() if self.stalled else self.send(names=NAMES[:3], q=self.q, v=self.v)
        wrench = self.held(self.q)[1] + self.offset + self.rng.normal(0.0, self.noise, 6)
        self.sensor.publish(WrenchWriter().write(stamp_message(stamp), self.frame, wrench))

    def ready(self):
        """Until the first answer."""
        self.start()
        self.spin_until(lambda: self.feed() or self.torques)
        return self

    def ask(self, name, feed=True, **fields):
        """The answer to a request, which is sent again where messages came too late on a busy computer."""
        request = KINDS[name].Request(**{"black_box": BOX} | fields)
        for _ in range(TRIES):
            future = self.clients[name].call_async(request)
            self.spin_until(lambda: (feed and self.feed()) or future.done(), name)  # noqa: B023  # of this try
            if not feed or not future.result().error_message.endswith(LATE):
                break
        return future.result()

    def effort(self):
        """Of an answer in which state and wrench are those of the present pose."""
        after = self.node.now()
        found = []

        def processed():
            self.feed()
            found[:] = [m for m in self.torques if stamp_nanoseconds(m.header.stamp) > after + LATER]
            return found

        self.spin_until(processed)
        return np.array(found[-1].effort)


@pytest.fixture
def boxed(ros, four_link, boxed_branch):
    def make(**parameters):
        given = {"crosscheck_rate": 0.0} | parameters
        return ended.enter_context(closing(Boxed(four_link, boxed_branch, **given)))

    with ExitStack() as ended:
        yield make


pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
LONG = 1.0  # [s] of averaging, within which ten wrenches come on a busy computer, too


def good(answer):
    assert answer.success, answer.error_message
    assert (answer.error_code, answer.error_message) == (answer.NONE, "")
    return answer


def refused(answer, code):
    assert not answer.success
    assert answer.error_code == getattr(answer, code), answer.error_message
    return answer.error_message


def numbers(wrench):
    f, t = wrench.force, wrench.torque
    return np.array([f.x, f.y, f.z, t.x, t.y, t.z])


def test_a_tare_with_the_known_load_leaves_its_weight(boxed, graph_load):
    """So the torques are right at another pose, too."""
    node = boxed(black_box_loads=[graph_load]).ready()
    node.q = np.array([0.3, 0.5, -0.2])
    wrong = node.effort() - node.held(node.q)[0]
    assert np.abs(wrong).max() > 0.01  # the offset falsifies torques
    answer = good(node.ask("tare_black_box", duration=LONG))
    assert numbers(answer.offset) == pytest.approx(OFFSET, abs=1e-9)
    assert numbers(answer.deviation) == pytest.approx(np.zeros(6), abs=1e-9)
    for node.q in (np.array([0.3, 0.5, -0.2]), np.array([1.0, -0.9, 0.4])):
        assert node.effort() == pytest.approx(node.held(node.q)[0], abs=1e-9)
    good(node.ask("tare_black_box", reset=True))
    node.q = np.array([0.3, 0.5, -0.2])
    assert node.effort() - node.held(node.q)[0] == pytest.approx(wrong, abs=1e-9)


def test_a_tare_without_a_known_load_takes_the_weight_for_offset(boxed):
    node = boxed().ready()
    node.q = np.array([0.3, 0.5, -0.2])
    node.effort()  # states of the pose before have been processed: they would count as a motion
    offset = numbers(good(node.ask("tare_black_box", duration=LONG)).offset)
    assert offset == pytest.approx(OFFSET + node.held(node.q)[1], abs=1e-9)


def test_a_wrench_in_another_frame_than_the_tared_is_refused(boxed, capfd):
    node = boxed(stale_after=60.0).ready()
    good(node.ask("tare_black_box", duration=LONG))
    node.frame = "stem"
    node.said("the sensor was tared in frame 'upper_stem', and the wrench is in 'stem'", capfd, node.feed)
    assert "no link 'stem'" in refused(node.ask("tare_black_box", duration=LONG), "REFUSED")


def test_a_frame_that_moves_against_the_connection_point_is_refused(boxed, graph_load):
    """There the offset of a sensor is another one in each pose."""
    node = boxed(black_box_loads=[graph_load]).ready()
    node.frame = "base"
    node.effort()  # wrenches in the frame before have arrived, and are not averaged
    text = refused(node.ask("tare_black_box", duration=LONG), "REFUSED")
    assert "frame 'base' moves against the connection point of" in text


@pytest.mark.parametrize("end", ["deactivate", "end the process"])
def test_a_measurement_that_is_cut_short_is_no_success(boxed, end):
    node = boxed().ready()
    averaged = node.clients["tare_black_box"].call_async(TareBlackBox.Request(black_box=BOX, duration=1.5))
    boxes = node.node.session.boxes
    node.spin_until(lambda: node.feed() or (boxes.averaging and len(boxes.averaging._wrenches) > 20))
    if end == "deactivate":
        assert node.node.trigger_deactivate() == SUCCESS
        assert node.node.trigger_activate() == SUCCESS
    else:
        finish(node.node, node.executor)  # the client gets its answer before the node is destroyed
        assert not node.node.unprocessed
    node.spin_until(lambda: node.feed() or averaged.done())
    assert "deactivated or ended while" in refused(averaged.result(), "REFUSED")


def test_a_payload_is_identified(boxed):
    node = boxed().ready()
    node.noise = 0.02
    for n, (bend, left) in enumerate(
        [(-1.2, 0.0), (-0.6, 0.5), (0.0, 0.1), (0.5, 0.2), (0.9, 0.0), (1.3, -1.0)]
    ):
        node.q = np.array([0.1 * n, bend, left])
        node.effort()  # it stands there
        assert (
            good(node.ask("identify_payload", command=Identify.Request.ADD_POSE, duration=LONG)).poses
            == n + 1
        )
    found = good(node.ask("identify_payload", command=Identify.Request.SOLVE, confidence=0.999))
    body = node.graph.bodies[node.graph.joint_index("right")]
    com, interval = ([getattr(v, k) for k in "xyz"] for v in (found.com, found.com_interval))
    assert found.mass == pytest.approx(body.mass, abs=found.mass_interval)
    assert 0.0 < found.mass_interval < 0.05 * body.mass
    assert (np.abs(np.array(com) - body.com) <= interval).all(), (com, body.com, interval)
    assert max(interval) < 0.02
    assert numbers(found.offset)[:3] == pytest.approx(OFFSET[:3], abs=0.1)
    assert 0.0 < found.residual < 0.05
    assert good(node.ask("identify_payload", command=Identify.Request.RESET)).poses == 0
    text = refused(node.ask("identify_payload", command=Identify.Request.SOLVE), "REFUSED")
    assert "no pose is collected" in text


def test_a_refused_request_tells_how_many_poses_are_collected(boxed):
    node = boxed().ready()
    add, solve = Identify.Request.ADD_POSE, Identify.Request.SOLVE
    assert good(node.ask("identify_payload", command=add, duration=LONG)).poses == 1
    answer = node.ask("identify_payload", command=solve)
    assert "at least 4 are needed" in refused(answer, "REFUSED")
    assert answer.poses == 1
    answer = node.ask("identify_payload", black_box="left_branch", command=solve)
    refused(answer, "UNKNOWN_NAME")
    assert answer.poses == 0


def test_an_offset_survives_a_restart_in_its_file(boxed, graph_load, tmp_path):
    path = tmp_path / "offsets.yaml"
    given = {"black_box_loads": [graph_load], "offsets_file": str(path)}
    node = boxed(**given).ready()
    truth = node.held(node.q)[0]
    good(node.ask("tare_black_box", duration=LONG))
    assert node.effort() == pytest.approx(truth, abs=1e-9)
    node.close()
    again = boxed(**given).ready()
    assert again.effort() == pytest.approx(truth, abs=1e-9)
    path.write_text("damaged")
    response = again.ask("tare_black_box", reset=True)
    assert response.error_code == response.FILE
    assert "offsets.yaml" in response.error_message
    assert again.effort() == pytest.approx(truth, abs=1e-9)
    path.unlink()
    good(again.ask("tare_black_box", reset=True))
    assert np.abs(again.effort() - truth).max() > 0.1


def test_bad_requests_are_processed_with_the_reason(boxed):
    node = boxed()
    text = refused(node.ask("tare_black_box", feed=False), "NOT_ACTIVE")
    assert "not active" in text
    node.ready()
    text = refused(node.ask("tare_black_box", black_box="left_branch"), "UNKNOWN_NAME")
    assert text == "no black box 'left_branch'; there are: right_branch"
    assert "duration is nan" in refused(node.ask("tare_black_box", duration=np.nan), "BAD_STATE")
    assert "duration is -1" in refused(node.ask("tare_black_box", duration=-1.0), "BAD_STATE")
    assert "command 7" in refused(node.ask("identify_payload", command=7), "BAD_STATE")
    solve = Identify.Request.SOLVE
    assert "confidence is 1" in refused(
        node.ask("identify_payload", command=solve, confidence=1.0), "BAD_STATE"
    )
    text = refused(node.ask("tare_black_box", feed=False, duration=0.1), "REFUSED")
    # one that was sent before may come late
    assert "came meanwhile: it is not known" in text or "older than the end of the time" in text


def test_a_change_of_the_robot_while_the_wrench_is_averaged_is_told(boxed):
    """What was averaged belongs to the robot as it was: success would hide that it is forgotten."""
    node = boxed().ready()
    pose = Identify.Request(black_box=BOX, duration=1.5, command=Identify.Request.ADD_POSE)
    averaged = node.clients["identify_payload"].call_async(pose)
    node.spin_until(lambda: node.feed() or node.node.session.boxes.averaging is not None)
    payload = SetPayload.Request(link="left_branch")
    payload.inertia.m = 0.1
    changed = node.client(SetPayload, "dynamics_node/set_payload").call_async(payload)
    node.spin_until(lambda: node.feed() or (changed.done() and averaged.done()))
    good(changed.result())
    assert "changed or replaced while" in refused(averaged.result(), "REFUSED")
    good(node.ask("identify_payload", command=Identify.Request.ADD_POSE, duration=LONG))


@pytest.fixture
def graph_load(four_link):
    graph = md.load_urdf(four_link)
    body = graph.bodies[graph.joint_index("right")]
    return f"right_branch:={body.mass} " + " ".join(map(str, body.com.tolist()))
