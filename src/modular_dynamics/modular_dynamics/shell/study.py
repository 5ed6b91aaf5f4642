"""`modular-dynamics study`: designs of a robot, computed on many cores, reported, and written as URDF."""

import argparse
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ..text.files import replace_file
from .command import (
    FINDINGS,
    GOOD,
    INTERRUPTED,
    Command,
    UsageError,
    printable,
    raise_if_read,
    table,
    whole_number,
)

if TYPE_CHECKING:
    from ..study import Study
    from ..study.store import Store

TOP = 10  # designs of a report
ABOUT = """\
Computes the loads of a robot's actuators for many designs, which a study file in YAML
describes (docs/reference/design_studies.md).

  run STUDY.yaml -o FOLDER   compute all designs that FOLDER does not have; a run that was stopped goes on
  report FOLDER              the best designs as a table; report.md and pictures in FOLDER
  urdf FOLDER -o FILE        the robot of the best design, or of another one

Results are in FOLDER/designs.parquet, a row for each design. They do not depend on the number of workers, nor
on interruptions. Needs more packages: pip install matplotlib pyarrow; --scheduler also: dask distributed."""
EXAMPLES = """\
  modular-dynamics study run config/charmie_study.yaml -o out/study
  modular-dynamics study run config/charmie_study.yaml -o out/study --scheduler tcp://192.168.0.1:8786
  modular-dynamics study report out/study
  modular-dynamics study urdf out/study --best -o robot.urdf"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)

    def action(name: str, about: str, path: str) -> argparse.ArgumentParser:
        own = actions.add_parser(name, help=about, description=about, allow_abbrev=False)
        own.add_argument("path", help=path)
        return own

    run = action("run", "compute all designs that the folder does not have", "the study file")
    run.add_argument("-o", "--output", metavar="FOLDER", required=True, help="folder of the results")
    scheduler = "Dask scheduler, as tcp://host:8786 (default: workers on this machine)"
    run.add_argument("--scheduler", metavar="ADDRESS", help=scheduler)
    workers = "workers on this machine (default: its cores)"
    run.add_argument("--workers", metavar="N", type=whole_number(1, 1024), help=workers)
    run.add_argument("--quiet", action="store_true", help="no progress on stderr (default: it is printed)")
    report = action("report", "the best designs as a table, a page and pictures", "folder of the results")
    top = "best designs (default: %(default)s)"
    report.add_argument("--top", metavar="N", type=whole_number(1), default=TOP, help=top)
    urdf = action("urdf", "the robot of the best design, or of another one", "folder of the results")
    urdf.add_argument("-o", "--output", metavar="FILE", required=True, help="the URDF file")
    which = urdf.add_mutually_exclusive_group()
    which.add_argument("--best", action="store_true", help="the best design (default)")
    which.add_argument("--design", metavar="INDEX", type=int, help="the design of an index")
    for own in (report, urdf):
        moved = "the study file, if it was moved (default: where it was)"
        own.add_argument("--study", metavar="FILE", help=moved)


def _run(arguments: argparse.Namespace) -> int:
    """Run the action; return the exit code."""
    return {"run": _run_study, "report": _report, "urdf": _urdf}[arguments.action](arguments)


def _run_study(arguments: argparse.Namespace) -> int:
    """Compute a study and print its summary; return the exit code."""
    from ..study import load_study  # noqa: PLC0415  # takes long
    from ..study.findings import findings_of, summary_lines  # noqa: PLC0415
    from ..study.run import run_study  # noqa: PLC0415
    from ..study.store import Store  # noqa: PLC0415

    if arguments.scheduler is not None and arguments.workers is not None:
        raise UsageError("--workers is for this machine; a scheduler has its own")
    study = load_study(arguments.path)
    try:
        done = run_study(
            study,
            arguments.output,
            scheduler=arguments.scheduler,
            workers=arguments.workers,
            quiet=arguments.quiet,
        )
    except KeyboardInterrupt:
        print(
            f"modular-dynamics study: interrupted; what was finished is in '{arguments.output}', "
            "and the same command goes on from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    findings = findings_of(study, Store(arguments.output, study))
    _print(summary_lines(findings))
    if done.computed:
        rate = done.computed / max(done.seconds, 1e-9)
        speed = f"{rate:,.0f} designs/s, {done.workers} workers"
        print(f"{done.computed:,} designs in {done.seconds:.1f} s, {speed}")
    print(f"results: {Path(arguments.output) / 'designs.parquet'}")
    return GOOD if len(findings.feasible) else FINDINGS


def _report(arguments: argparse.Namespace) -> int:
    """Print the best designs and write the report; return the exit code."""
    from ..study.findings import design_table, findings_of, summary_lines  # noqa: PLC0415
    from ..study.report import written_report  # noqa: PLC0415  # takes long

    findings = findings_of(*_opened(arguments))
    _print(summary_lines(findings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that the font lacks: one sees them
        paths = written_report(findings, Path(arguments.path), arguments.top)
    head, *rows = design_table(findings, arguments.top)
    print("\n".join(table(head, rows, right=head[1:])))
    _print([str(path) for path in paths])
    return GOOD


def _urdf(arguments: argparse.Namespace) -> int:
    """Write a design's URDF; return the exit code."""
    from ..study.evaluation import design_graph  # noqa: PLC0415  # takes long
    from ..study.findings import findings_of  # noqa: PLC0415
    from ..study.reading import sources_of  # noqa: PLC0415

    study, store = _opened(arguments)
    raise_if_read("--output", arguments.output, [*store.files_of_results, *sources_of(study)])
    findings = findings_of(study, store)
    if arguments.design is not None:
        if not 0 <= arguments.design < findings.study.count:
            raise UsageError(
                f"--design is {arguments.design}; the study has designs 0 to {findings.study.count - 1}"
            )
        design = findings.design(arguments.design)
    elif (best := findings.best) is not None:
        design = best
    else:
        raise UsageError(f"no design of '{findings.study.name}' is feasible; --design INDEX chooses one")
    assert design.numbers is not None
    text = design_graph(findings.evaluator, design.numbers).to_urdf()
    replace_file(Path(arguments.output), text.encode())
    print(
        f"{design.title} of {findings.study.name}, for the trajectory {design.trajectory}: {arguments.output}"
    )
    return GOOD


def _opened(arguments: argparse.Namespace) -> "tuple[Study, Store]":
    """Return the study of a folder, and its store."""
    from ..study import load_study  # noqa: PLC0415  # takes long
    from ..study.store import Store, about_of  # noqa: PLC0415

    about = about_of(Path(arguments.path))
    if about is None:
        raise UsageError(f"'{arguments.path}' holds no study; modular-dynamics study run makes one")
    study = load_study(arguments.study or str(about.get("study")))
    store = Store(arguments.path, study)
    store.open()
    return study, store


def _print(lines: list[str]) -> None:
    print("\n".join(printable(line) for line in lines))


STUDY = Command(
    "study",
    "loads of many designs of a robot, on many cores",
    ABOUT,
    EXAMPLES,
    _add_arguments,
    _run,
)
