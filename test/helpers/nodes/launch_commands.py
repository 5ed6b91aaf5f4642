"""What a launch file would start, without starting it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from launch.actions import ExecuteLocal
from launch.launch_description_sources import get_launch_description_from_python_launch_file

from helpers.nodes.launch_probe import SHARE
from launch import LaunchContext, LaunchDescription


@dataclass
class Process:
    """A process of a launch file.

    Attributes:
        remapped: topics by what the node calls them; "__node" and "__ns" too.
    """

    executable: str
    words: list[str]
    parameters: dict[str, Any]
    remapped: dict[str, str]
    environment: dict[str, str]
    respawn: bool
    respawn_delay: float | None


def description(name: str) -> LaunchDescription:
    """Launch description of an installed launch file."""
    return get_launch_description_from_python_launch_file(str(SHARE / "launch" / name))


def started(monkeypatch: pytest.MonkeyPatch, launch_file: str, **arguments: str) -> dict[str, Process]:
    """The processes by the names of their executables."""
    processes: dict[str, Process] = {}

    def record(action: ExecuteLocal, context: LaunchContext) -> None:
        action.prepare(context)
        process = _process(action)
        assert process.executable not in processes
        processes[process.executable] = process

    monkeypatch.setattr(ExecuteLocal, "execute", record)
    context = LaunchContext()
    context.launch_configurations.update(arguments)
    entities = [description(launch_file)]
    while entities:
        entities[:1] = entities[0].visit(context) or []
    return processes


def _process(action: ExecuteLocal) -> Process:
    program, *words = action.process_description.final_cmd
    parameters: dict[str, Any] = {}
    remapped: dict[str, str] = {}
    others: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--params-file":
            text = Path(words.pop(0)).read_text("utf-8").replace("!!python/tuple", "")  # tag of lists
            parameters |= _parameters(yaml.safe_load(text), Path(program).name)
        elif word == "-r":
            topic, _, other = words.pop(0).partition(":=")
            remapped[topic] = other
        else:
            others.append(word)
    private = vars(action)  # launch has no public way to read them back
    return Process(
        executable=Path(program).name,
        words=others,
        parameters=parameters,
        remapped=remapped,
        environment=_environment(action),
        respawn=private["_ExecuteLocal__respawn"],
        respawn_delay=private["_ExecuteLocal__respawn_delay"],
    )


def _environment(action: ExecuteLocal) -> dict[str, str]:
    """Return the environment variables that are set for this process alone."""
    context = LaunchContext()
    return {key[0].perform(context): value[0].perform(context) for key, value in action.additional_env or []}


def _parameters(content: Any, node: str) -> dict[str, Any]:
    """Return the parameters of a file that are for a node of this name."""
    if not isinstance(content, dict):
        return {}
    own: dict[str, Any] = {}
    for key, value in content.items():
        if key == "ros__parameters":
            own |= value
        elif key.strip("/").split("/")[-1] in ("**", node):
            own |= _parameters(value, node)
    return own
