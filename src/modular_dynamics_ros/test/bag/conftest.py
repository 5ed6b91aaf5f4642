"""Runs the command bag and reads what it has written."""

import csv
import json
from types import SimpleNamespace

import pytest

from helpers.recorded_bags import write_bag
from modular_dynamics.shell.main import main

NAMES = ["turn", "bend", "left", "right"]


@pytest.fixture
def bag(tmp_path, capsys, four_link):
    """Writes messages to a bag and runs the command: exit code, report, rows of the CSV, stderr."""

    def run(messages, *options, robot=four_link, **kind):
        folder = tmp_path / f"recording{len(list(tmp_path.iterdir()))}"
        return run_on(write_bag(folder, messages, **kind), *options, robot=robot)

    def run_on(path, *options, robot=four_link):
        table = tmp_path / "torques.csv"
        table.unlink(missing_ok=True)
        source = () if robot is None else ("--robot", str(robot))
        code = main(["bag", str(path), *source, "--csv", str(table), "--json", *map(str, options)])
        printed = capsys.readouterr()
        rows = []
        if table.exists():
            with open(table, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        report = json.loads(printed.out) if printed.out else {}
        return SimpleNamespace(code=code, report=report, rows=rows, err=printed.err, table=table)

    run.on = run_on
    return run


@pytest.fixture
def names():
    """The joints of four_link."""
    return list(NAMES)
