"""Requests to change urdf/four_link.urdf, its right branch a black box, that must be refused, and why."""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from helpers.paths import ROBOTS

Bad = tuple[str, dict[str, Any], str, str]
"""Service, fields, name of the code, and what the message says."""

FOUR_LINK = (ROBOTS / "four_link.urdf").read_text()
GRIPPER = """<robot name="gripper"><link name="palm"/><link name="jaw"><inertial><mass value="0.1"/>
<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="finger" type="prismatic"><parent link="palm"/><child link="jaw"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.1" effort="9" velocity="1"/></joint></robot>"""
#: As a message shows it: on one line, and not endless.
NAMES = {
    "": "''",
    "left_branch ": "'left_branch ",
    "LEFT_BRANCH": "LEFT_BRANCH",
    "../../etc/passwd": "../../etc/passwd",
    "%s{0}": "%s{0}",
    "左": "左",
    "\u202eleft": "\\u202eleft",
    "x\n[INFO] forged": "x [INFO] forged",
    "\x07": "\\x07",
    "a" * 100_000: "a" * 40,
}
SIZES = (np.nan, np.inf, -np.inf, 1e308, -1e10)
LINK, AT = "left_branch", (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)
LOAD = 1.0, (0.1, 0.0, 0.05), (0.01, 0.0, 0.0, 0.02, 0.0, 0.015)
LARGEST_BYTES = 2**33  # of a file that takes no disk
#: Damage to a text, and what is said of it.
TEXTS = {
    "<robot": "line 1",
    GRIPPER[:200]: "line",
    GRIPPER.replace("</robot>", ""): "line",
    "<robot name='x'/>": "link",
    "<html><body/></html>": "html",
    "robot: {}": "begins with '<'",
    "/etc/passwd": "/etc/passwd",
    # not larger: UDP with small buffers may lose parts of a request of a megabyte again and again
    "\n" * 100_000 + "x": "begins with '<'",
    GRIPPER.replace('"0.1"/>', '"-0.1"/>', 1): "mass",
    GRIPPER.replace("prismatic", "sliding"): "sliding",
    GRIPPER.replace('link="palm"', 'link="plam"'): "plam",
    GRIPPER.replace('"1 0 0"', '"0 0 0"'): "finger",
    GRIPPER.replace('"1 0 0"', '"1 nan 0"'): "nan",
    GRIPPER.replace('"1 0 0"', '"1 0"'): "finger",
    GRIPPER.replace('name="jaw"', 'name="palm"', 1): "palm",
    GRIPPER.replace("<link", '<link name="spare"/><link', 1): "spare",
    FOUR_LINK: "prefix",
    f"<!DOCTYPE r [<!ENTITY a '{'b' * 1000}'><!ENTITY c '{'&a;' * 1000}'>]><robot name='&c;'/>": "DOCTYPE",
    "<a>" * 10_000 + "</a>" * 10_000: "deep",
}


def bad_changes(folder: Path) -> Iterator[Bad]:
    """All of them; files of some are made in a folder."""
    yield from _payloads()
    yield from _attachments(folder)
    for name, shown in NAMES.items():
        yield "detach_subsystem", {"name": name}, "UNKNOWN_NAME", shown
    yield from _locks()
    yield from _black_boxes()


def _payloads() -> Iterator[Bad]:
    service = "set_payload"
    for name, shown in NAMES.items():
        yield service, {"link": name, "load": LOAD}, "UNKNOWN_NAME", shown
    for place, size in product(range(10), SIZES):
        flat = [LOAD[0], *LOAD[1], *LOAD[2]]
        flat[place] = size
        load = flat[0], flat[1:4], flat[4:]
        yield service, {"link": LINK, "load": load}, "BAD_STATE", f"payload on link '{LINK}'"
    for load, words in (
        ((-1.0, *LOAD[1:]), "negative"),
        ((0.0, *LOAD[1:]), "no mass, which removes it"),
        ((1.0, LOAD[1], (-0.01, 0.0, 0.0, 0.02, 0.0, 0.015)), "negative"),
        ((1.0, LOAD[1], (0.01, 0.5, 0.0, 0.02, 0.0, 0.015)), LINK),  # indefinite
    ):
        yield service, {"link": LINK, "load": load}, "BAD_STATE", words
    yield service, {"link": "right_branch", "load": LOAD}, "REFUSED", "black box"


def _attachments(folder: Path) -> Iterator[Bad]:
    service = "attach_subsystem"
    good = {"name": "hand", "robot_description": GRIPPER, "link": LINK, "at": AT, "prefix": "g/"}
    for name, shown in NAMES.items():
        yield service, good | {"link": name}, "UNKNOWN_NAME", shown
    for place, size in product(range(7), SIZES):
        at = list(AT)
        at[place] = size
        yield service, good | {"at": at}, "BAD_STATE", "the pose of 'hand'"
    yield service, good | {"at": (0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0)}, "BAD_STATE", "norm 0"
    yield service, good | {"name": ""}, "REFUSED", "needs a name"
    yield service, good | {"file": "x.urdf"}, "REFUSED", "'hand' has both"
    yield service, good | {"robot_description": ""}, "REFUSED", "'hand' has neither"
    yield service, good | {"link": "right_branch"}, "REFUSED", "black box"
    for text, words in TEXTS.items():
        yield service, good | {"robot_description": text, "prefix": ""}, "REFUSED", words
    from_file = {"name": "hand", "link": LINK, "at": AT, "prefix": "g/"}
    for path, code, words in _files(folder):
        yield service, from_file | {"file": path}, code, words


def _files(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Paths of what is no URDF file."""
    pipe, loop, sparse, binary, xacro = (
        folder / name for name in ("pipe", "loop", "sparse", "bin", "a.xacro")
    )
    if not pipe.exists():
        os.mkfifo(pipe)
        loop.symlink_to(loop)
        sparse.touch()
        os.truncate(sparse, LARGEST_BYTES)
        binary.write_bytes(bytes(range(256)))
        xacro.write_text(
            '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">'
            '<xacro:include filename="none.xacro"/></robot>'
        )
    for path, words in (
        ("/no/such/robot.urdf", "no URDF or xacro file at '/no/such/robot.urdf'"),
        (str(folder), "which is a folder"),
        (str(pipe), "which is a named pipe"),
        (str(loop), "loop"),
        ("/dev/zero", "which is a device"),
        ("~nobody-of-this-name/robot.urdf", "nobody-of-this-name"),
        ("/" + "a" * 5000, "/aaaa"),
        ("file:///robots/hand.urdf", "'file:///robots/hand.urdf' is a URI; a path is needed"),
        ("package://robots/hand.urdf", "'package://robots/hand.urdf' is a URI; a path is needed"),
        (GRIPPER, "<robot name="),
        (str(sparse), "bytes"),
    ):
        yield path, "FILE", words
    yield str(binary), "REFUSED", "bin"
    yield str(xacro), "REFUSED", "none.xacro"


def _locks() -> Iterator[Bad]:
    service = "lock_joints"
    for name, shown in NAMES.items():
        yield service, {"joint_names": ["turn", name], "positions": [0.0, 0.0]}, "UNKNOWN_NAME", shown
        yield service, {"joint_names": [name], "unlock": True}, "UNKNOWN_NAME", f"{shown:.38}"
    for size in SIZES:
        yield service, {"joint_names": ["turn"], "positions": [size]}, "BAD_STATE", "'turn'"
    for names, positions, words in (
        (["bend"], [90.0], "'bend' is 90, beyond its limits -1.5 to 1.5"),
        (["turn", "turn"], [0.0, 0.0], "'turn' named more than once"),
        (["turn", "bend"], [0.0], "1 positions for 2 joints"),
        ([], [0.0], "1 positions for 0 joints"),
        ([], [], "joint_names is empty"),
    ):
        yield service, {"joint_names": names, "positions": positions}, "BAD_STATE", words
    yield service, {"joint_names": ["right"], "positions": [0.0]}, "REFUSED", "'right'"
    yield service, {"joint_names": [], "unlock": True}, "BAD_STATE", "joint_names is empty"
    many = [f"joint {k}" for k in range(20_000)]
    yield service, {"joint_names": many}, "UNKNOWN_NAME", "'joint 0'"


def _black_boxes() -> Iterator[Bad]:
    tare, identify, box = "tare_black_box", "identify_payload", {"black_box": "right_branch"}
    for (name, shown), service in product(NAMES.items(), (tare, identify)):
        yield service, {"black_box": name}, "UNKNOWN_NAME", shown
    yield tare, {"black_box": LINK}, "UNKNOWN_NAME", "there are: right_branch"
    for seconds in (np.nan, np.inf, -1.0, 1e308, 60.1):
        yield tare, box | {"duration": seconds}, "BAD_STATE", "duration is"
        yield identify, box | {"command": 1, "duration": seconds}, "BAD_STATE", "duration is"
    for confidence in (np.nan, np.inf, -0.5, 1.0, 1e308):
        yield identify, box | {"command": 2, "confidence": confidence}, "BAD_STATE", "confidence is"
    for command in (3, 255):
        yield identify, box | {"command": command}, "BAD_STATE", f"command {command} is none of"
    yield tare, box | {"duration": 0.05}, "REFUSED", "at rest"
    yield identify, box | {"command": 1, "duration": 0.05}, "REFUSED", "at rest"
    yield identify, box | {"command": 2}, "REFUSED", "no pose is collected of black box 'right_branch'"
