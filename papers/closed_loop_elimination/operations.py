"""What Table 1 says: weighted sums beside the paper's, the ranking and why it differs, constants by name."""

from collections.abc import Mapping

import numpy as np

import modular_dynamics as md
from papers.closed_loop_elimination.equality import COMPARED, EXACT, evaluated, relative
from papers.closed_loop_elimination.exoskeleton import (
    CAD,
    CAD_RHO_4,
    RHO_4,
    STATES,
    generic,
    named,
    random_states,
    urdf,
)
from papers.closed_loop_elimination.methods import METHODS, Method
from papers.closed_loop_elimination.table_1 import (
    PAPER,
    PRINTED_ASSIGNMENTS,
    PRINTED_SUMS,
    TERMS,
    Table1,
)
from papers.closed_loop_elimination.textbook import Textbook, inertial_parameters
from papers.report import Report
from urdf.generators.exoskeleton import Parameters

#: Weighted operations of c1 by an independent count.
COUNTED = {"TE": 7650, "DE": 6852, "IC": 5151}
RANKING = "Ranking by weighted sums: ours, and why it is the reverse of the paper's for M1"


def add_operations(report: Report, rows: Table1) -> None:
    """Add the weighted sums, those of c1 less an independent count, and the paper's own rows added up."""
    table = "Table 1: weighted sums of operations; one symbol for each different number (columns: below)"
    for (term, row), measured in rows.items():
        name = f"open tree's {term[0]}" if row == "tree" else row
        report.add(table, f"{term} by {name}", measured.symbols.weighted, PRINTED_SUMS.get((term, row)))
    table = "c1, which the paper does not list: the same sums, less those of an independent count"
    for name, count in COUNTED.items():
        difference = rows["c1", name].symbols.weighted - count
        report.add(table, f"c1 by {name}, less {count}", difference, within=0.0)
    table = "The paper's own rows: printed sum beside its columns times its weights (ours)"
    for (term, row), printed in PRINTED_SUMS.items():
        report.add(table, f"{term} by {row}", PAPER[term, row][0].weighted, printed, 0.0)
    slip = PAPER["g1", "DE"][0]._replace(assign=PRINTED_ASSIGNMENTS)
    what = f"g1 by DE with the printed {PRINTED_ASSIGNMENTS} assignments"
    report.add(table, what, slip.weighted, PRINTED_SUMS["g1", "DE"])


def add_times(report: Report, rows: Table1) -> None:
    """Add generation times, without bounds."""
    table = (
        "Generation time [s]; paper: CPU time in its files, printed as 1.4 h, 0.4 h, 2 s; 2.0 h, 2.0 h, 17 s"
    )
    for (term, row), measured in rows.items():
        if row in METHODS:
            paper = PAPER[term, row][1] if (term, row) in PAPER else None
            report.add(table, f"{term} by {row}", measured.seconds, paper)


def add_ranking(report: Report, rows: Table1) -> None:
    """Add the rankings of g1 and M1, and those of the same methods by textbook energies."""
    theirs = {term: _order({name: PRINTED_SUMS[term, name] for name in METHODS}) for term in ("g1", "M1")}
    for term, order in theirs.items():
        ours = _order({name: rows[term, name].symbols.weighted for name in METHODS})
        report.add(RANKING, f"{term}, ours (paper: {order})", ours)
    parts = rows["M1", "W"].symbols.weighted + rows["M1", "tree"].symbols.weighted
    report.add(RANKING, "M1 by IC, ours, as the paper counts: W and open tree's M", parts)
    graph = md.load_urdf(urdf(generic()))
    derived = {name: Textbook(Method(graph, name, named=named(generic()))) for name in METHODS}
    sums = {name: _textbook_sums(report, one) for name, one in derived.items()}
    for term in ("M1", "g1"):
        for name in METHODS:
            what = f"{term} by {name}, textbook{' (W and open tree)' if name == 'IC' else ''}"
            report.add(RANKING, what, sums[name][term], PRINTED_SUMS[term, name])
    order = {term: _order({name: sums[name][term] for name in METHODS}) for term in theirs}
    report.add(RANKING, "M1, textbook", order["M1"], theirs["M1"])
    report.add(RANKING, f"g1, textbook (paper: {theirs['g1']})", order["g1"])
    difference = max(_difference(one) for one in derived.values())
    report.add(RANKING, "textbook g1 and M1, less the library's, over the largest", difference, within=EXACT)


def _order(sums: Mapping[str, float]) -> str:
    return " < ".join(sorted(sums, key=lambda name: sums[name]))


def _textbook_sums(report: Report, derived: Textbook) -> dict[str, int]:
    """Return the weighted sums of M1 and g1 as the paper counts them: of IC those of W and the tree."""
    method, gravity = derived.method, derived.count(derived.gravity_torque()).weighted
    bodies = derived.count(derived.mass_matrix(method.projection)).weighted
    if method.method != "IC":
        return {"M1": bodies, "g1": gravity}
    W = derived.count(method.projection).weighted
    tree = derived.count(derived.mass_matrix(method.ca.SX.eye(len(method.q)))).weighted
    report.add(RANKING, "W, textbook", W, PRINTED_SUMS["M1", "W"])
    report.add(RANKING, "open tree's M, textbook", tree, PRINTED_SUMS["M1", "tree"])
    report.add(RANKING, "M1 by IC, textbook, as a sum over bodies as TE and DE are", bodies)
    return {"M1": W + tree, "g1": W + gravity}


def _difference(derived: Textbook) -> float:
    """Return the largest difference of M1 and g1 from the library's at some states of the exoskeleton."""
    method, graph = derived.method, md.load_urdf(urdf())
    q, v, a, coordinates = random_states(graph, 10)
    gravity, M1 = derived.gravity_torque(), derived.mass_matrix(method.projection)
    if method.method == "IC":
        gravity = method.projection.T @ gravity
    function = method.ca.Function("terms", derived.inputs, [gravity, M1])
    numbers = np.zeros(len(method.constants.numbers))
    known = [*named(Parameters()).values(), *graph.gravity]
    numbers[: len(known)] = known  # of what follows, regrouped inertias, these terms hold nothing
    given = coordinates if method.method == "IC" else q
    found = [function(*x, numbers, inertial_parameters(urdf())) for x in zip(given, v, a, strict=True)]
    g, M = (np.squeeze([row[k].full() for row in found]) for k in (0, 1))
    return max(relative(g, md.gravity_torque(graph, q)), relative(M, md.mass_matrix(graph, q)))


def add_named(report: Report) -> None:
    """Add the counts with the paper's lengths and angles; the same expressions at two sets of lengths."""
    table = (
        "Constants by name: L1 ... L15, η1, η6, η8, η12, η13 are the symbols, and sums of them are counted"
    )
    graph = md.load_urdf(urdf(generic()))
    robots = {"urdf/exoskeleton.urdf": (Parameters(), RHO_4), "the CAD model": (CAD, CAD_RHO_4)}
    for name in METHODS:
        method = Method(graph, name, named=named(generic()))
        for term in COMPARED:
            weighted = method.count(TERMS[term](method)).weighted
            report.add(table, f"{term} by {name}", weighted, PRINTED_SUMS.get((term, name)))
        for robot, (lengths, rho_4) in robots.items():
            other = md.load_urdf(urdf(lengths))
            states = random_states(other, STATES, rho_4)
            numbers = np.array([*named(lengths).values(), *_own_numbers(other, name)])
            tau = evaluated(method, states, numbers)["tau1"]
            difference = relative(tau, md.inverse_dynamics(other, *states[:3]))
            what = f"tau1 by {name} with the lengths of {robot}, less the library's"
            report.add(table, what, difference, within=EXACT)


def _own_numbers(graph: md.SubsystemGraph, name: str) -> list[float]:
    """Return gravity, inertial parameters and springs in the order of their symbols."""
    method = Method(graph, name, symbolic=True)
    for term in COMPARED:
        TERMS[term](method)
    return [value for key, (_, value) in method.constants.parameters.items() if key.startswith("i")]
