"""Links behind fixed joints become one body."""

import pytest

import modular_dynamics as md


def test_long_chains_of_fixed_links():
    """Vendors' calibration frames and the like: deeper than Python's recursion limit."""
    links = "".join(f'<link name="l{k}"/>' for k in range(1501))
    joints = "".join(
        f'<joint name="j{k}" type="{"continuous" if k == 0 else "fixed"}"><parent link="l{k}"/>'
        f'<child link="l{k + 1}"/></joint>'
        for k in range(1500)
    )
    with pytest.warns(md.ModelWarning, match="ends a chain"):
        graph = md.load_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert len(graph.bodies[0].links) == 1500
