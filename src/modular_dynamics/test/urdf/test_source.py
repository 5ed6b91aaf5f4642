"""Where a URDF's text comes from."""

import numpy as np

import modular_dynamics as md
from helpers.paths import ROBOTS


def test_encodings_and_declarations(tmp_path):
    text = (ROBOTS / "four_link.urdf").read_text()
    plain = text[text.index("<robot") :]
    latin = tmp_path / "latin.urdf"
    latin.write_bytes(
        ('<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- Müller -->' + plain).encode("latin-1")
    )
    with_bom = tmp_path / "bom.urdf"
    with_bom.write_bytes(b"\xef\xbb\xbf" + plain.encode())
    for source in (latin, with_bom, str(latin), '<?xml version="1.0" encoding="utf-8"?>' + plain):
        graph = md.load_urdf(source)
        assert md.crosscheck.rnea_residual(graph, *np.ones((3, graph.nv))).max() < 1e-12
