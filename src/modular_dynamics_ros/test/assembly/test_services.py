"""Requests: every error is a response with its code, and leaves the assembly as it was."""

import re
from unittest.mock import MagicMock

import pytest
from modular_dynamics_interfaces.srv import Dock, LoadAssembly, SaveAssembly, Undock

from modular_dynamics.modular import Assembly
from modular_dynamics_ros.assembly.live_assembly import LiveAssembly
from modular_dynamics_ros.assembly.services import AssemblyServices

pytestmark = pytest.mark.ros


class Host:
    """A node without DDS."""

    def __init__(self):
        self.active, self.configured, self.log, handlers = True, True, MagicMock(), {}
        self.live = LiveAssembly.of(Assembly(("v0", "backbone")), 0, 0)
        node = MagicMock(create_service=lambda kind, name, handle, **_: handlers.update({name: handle}))
        self.logged = node.get_logger().error
        AssemblyServices(node, self)
        self._handlers = handlers

    def change(self, make, what):
        self.live = LiveAssembly.of(make(self.live.assembly), self.live.revision + 1, 10**9 + self.live.stamp)

    def call(self, kind, /, **request):
        names = {Dock: "dock", Undock: "undock", LoadAssembly: "load", SaveAssembly: "save"}
        return self._handlers[f"~/{names[kind]}"](kind.Request(**request), kind.Response())

    def dock(self, *ends, kind="backbone", turn=0):
        names = "module", "port", "other_module", "other_port"
        return self.call(Dock, **dict(zip(names, ends, strict=True)), kind=kind, turn=turn)


@pytest.fixture
def host():
    return Host()


def test_dock_undock_save_load(host, tmp_path):
    answer = host.dock("v0", "3", "v1", "4")
    assert (answer.success, answer.error_code, answer.error_message) == (True, Dock.Response.NONE, "")
    assert (answer.revision, answer.stamp.sec) == (1, 1)
    assert host.dock("v1", "3", "v2", "2", kind="scout", turn=1).success
    docked = host.live.assembly
    file = str(tmp_path / "a.yaml")
    assert host.call(SaveAssembly, file=file).revision == 2
    assert host.call(Undock, module="v1").success
    assert list(host.live.assembly) == ["v0"]
    assert host.call(LoadAssembly, file=file).success
    assert host.live.assembly == docked
    assert host.call(Undock, module="v1", port="3").revision == 5
    assert list(host.live.assembly) == ["v0", "v1"]


def test_without_a_kind_a_docking_closes_a_ring(host):
    for k, port in enumerate("322"):
        assert host.dock(f"v{k}", port, f"v{k + 1}", "4").success
    assert host.dock("v3", "2", "v0", "2", kind="").success
    assert len(host.live.assembly.rings) == 1


@pytest.mark.parametrize(
    ("ends", "more", "code", "words"),
    [
        (("v9", "3", "v2", "4"), {}, "UNKNOWN_NAME", "v9"),
        (("v0", "2", "v2", "4"), {"kind": "wheel"}, "UNKNOWN_NAME", "wheel"),
        (("v0", "3", "v2", "4"), {}, "REFUSED", "v1"),  # used
        (("v0", "1", "v2", "4"), {}, "UNKNOWN_NAME", "2, 3, 4, 5"),  # cannot dock
        (("v0", "", "v2", "4"), {}, "UNKNOWN_NAME", "v0"),
        (("v0", "2", "v2", "9"), {}, "UNKNOWN_NAME", "port '9' of module 'v2'"),
        (("v0", "2", "v1", "2"), {"kind": ""}, "REFUSED", "port 2 of module 'v1' cannot close a ring"),
        (("v0", "2", "v1", "4"), {"kind": "backbone"}, "REFUSED", "v1"),  # is there
        (("v0", "2", "v2", "4"), {"kind": ""}, "REFUSED", "kind"),
        (("v0", "2", "v2", "4"), {"turn": 4}, "REFUSED", "turn"),
        (("v0", "2", "", "4"), {}, "REFUSED", "name"),
    ],
)
def test_a_docking_that_cannot_be_is_answered_with_a_code(host, ends, more, code, words):
    host.dock("v0", "3", "v1", "4")
    before = host.live
    answer = host.dock(*ends, **more)
    assert answer.error_code == getattr(Dock.Response, code), answer.error_message
    assert words in answer.error_message
    assert not answer.success
    assert host.live is before
    assert answer.revision == 1


def test_a_release_that_cannot_be(host):
    base = host.call(Undock, module="v0")
    assert base.error_code == Undock.Response.REFUSED
    assert "the port whose docking is released is needed" in base.error_message
    assert "with_base" not in base.error_message
    assert host.call(Undock, module="v0", port="x").error_code == Undock.Response.UNKNOWN_NAME
    assert host.call(Undock, module="v0", port="2").error_code == Undock.Response.REFUSED
    assert host.call(Undock, module="x").error_code == Undock.Response.UNKNOWN_NAME


def test_files_that_cannot_be_used(host, tmp_path):
    file = tmp_path / "a.csv"
    assert host.call(LoadAssembly, file=str(file)).error_code == LoadAssembly.Response.FILE
    assert host.call(SaveAssembly, file=str(file)).success
    again = host.call(SaveAssembly, file=str(file))
    assert (again.error_code, again.success) == (SaveAssembly.Response.FILE, False)
    assert host.call(SaveAssembly, file=str(file), overwrite=True).success
    file.write_text(file.read_text().replace("backbone", "wheel"))
    assert host.call(LoadAssembly, file=str(file)).error_code == LoadAssembly.Response.UNKNOWN_NAME


def test_while_the_node_is_not_active_nothing_changes(host, tmp_path):
    host.active, before = False, host.live
    answers = [host.dock("v0", "3", "v1", "4"), host.call(SaveAssembly, file=str(tmp_path / "a.csv"))]
    assert [answer.error_code for answer in answers] == [Dock.Response.NOT_ACTIVE] * 2
    assert host.live is before
    assert list(tmp_path.iterdir()) == []


def test_an_unexpected_error_is_answered_and_logged(host, monkeypatch):
    monkeypatch.setattr(host, "change", MagicMock(side_effect=ZeroDivisionError("by zero")))
    answer = host.dock("v0", "3", "v1", "4")
    assert answer.error_code == Dock.Response.UNEXPECTED
    assert answer.error_message.startswith("ZeroDivisionError: by zero (services.py:")
    host.logged.assert_called_once()


def test_a_matrix_that_contradicts_itself_is_told_from_an_assembly_that_cannot_be(host, tmp_path):
    host.dock("v0", "3", "v1", "4")
    before, file = host.live, tmp_path / "a.yaml"
    text = re.sub(", type: [^,}]*", "", before.assembly.incidence_matrix().to_yaml())
    for content, code, words in (
        (text.replace("v1: 4", "v0: 4"), "FILE", "the key 'v0' stands twice"),
        (text + "  e2: {faces: {v0: 3, v1: 2}}\n", "FILE", "face 3 of module 'v0' is used twice"),
        (text.replace("v1: 4", "v1: 9"), "UNKNOWN_NAME", "port 9 of module 'v1' cannot dock"),
        (text.replace("v1: 4}", "v1: 4}, type: DO"), "REFUSED", "the docking type is 'DO'"),
        (text + "  e2: {faces: {v0: 2, v1: 2}}\n", "REFUSED", "cannot close a ring"),
        (text.replace("v1", "v" * 101), "FILE", "at most 100 characters"),
    ):
        file.write_text(content)
        answer = host.call(LoadAssembly, file=str(file))
        assert answer.error_code == getattr(LoadAssembly.Response, code), answer.error_message
        assert words in answer.error_message
    assert host.live is before


@pytest.mark.parametrize("field", ["module", "port", "other_module", "other_port", "kind"])
def test_long_texts_are_refused_and_shortened(host, field):
    ends = {"module": "v0", "port": "3", "other_module": "v1", "other_port": "4", "kind": "backbone"}
    answer = host.call(Dock, **{**ends, field: "x" * 1_000_000})
    assert answer.error_code in (Dock.Response.UNKNOWN_NAME, Dock.Response.REFUSED)
    assert "'xxx" in answer.error_message
    assert len(answer.error_message) < 400
