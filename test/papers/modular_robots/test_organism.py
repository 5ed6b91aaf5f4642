"""The organism of Fig. 4: its table is the paper's but for the misprints, and its cells lie in a grid."""

import numpy as np

from modular_dynamics import modular
from papers.modular_robots.organism import (
    DIRECT,
    INDIRECT,
    MISPRINTS,
    PRINTED,
    cells_of,
    lists_of,
    organism,
)


def test_the_table_is_the_printed_one_but_for_the_misprints():
    table = organism().incidence_matrix()
    printed = np.array(PRINTED)
    differing = {(f"v{i}", f"e{k + 1}"): printed[i, k] for i, k in np.argwhere(table.matrix != printed)}
    assert differing == MISPRINTS


def test_the_traversal_of_the_matrix_alone_gives_table_iii():
    matrix = organism().incidence_matrix().matrix
    assert lists_of(matrix) == (list(DIRECT), list(INDIRECT))
    wheel = modular.Assembly(base=("v0", "backbone"))
    for k in range(1, 4):
        wheel = wheel.dock(f"v{k - 1}", 3, f"v{k}", 2, kind="backbone")
    ring = wheel.dock("v3", 3, "v0", 2)  # a square of four: its last column closes a ring
    assert lists_of(ring.incidence_matrix().matrix) == lists_of(wheel.incidence_matrix().matrix)
    assert len(lists_of(ring.incidence_matrix().matrix)[1]) == 3


def test_cells_lie_in_a_grid_and_docked_faces_look_at_each_other():
    assembly = organism()
    cells = {cell.module: cell for cell in cells_of(assembly)}
    places = {name: tuple(np.round(cell.centre / 0.09).astype(int)) for name, cell in cells.items()}
    assert len(set(places.values())) == 9
    assert (places["v0"], places["v2"], places["v5"], places["v8"]) == ((0, 0), (2, 0), (-1, -2), (-1, 2))
    for parent, port, module, other, _ in assembly.dockings:
        a, b = cells[parent], cells[module]
        np.testing.assert_allclose(b.centre - a.centre, 0.09 * a.faces[port], atol=1e-12)
        np.testing.assert_allclose(b.faces[other], -a.faces[port], atol=1e-12)


def test_hinge_axes_go_through_faces_2_and_5_and_follow_a_turned_base():
    for cell in cells_of(organism()):
        np.testing.assert_allclose(cell.hinge, cell.faces["2"], atol=1e-12)
    pair = modular.Assembly(base=("a", "backbone")).dock("a", 3, "b", 2, kind="backbone")
    np.testing.assert_allclose([cell.hinge for cell in cells_of(pair)], [[0, 1], [-1, 0]], atol=1e-12)
