"""The picture of the gaits, and the table of couplings that synchronise."""

from benchmark.studies import gaits


def test_the_picture_is_drawn_and_exponents_tell_which_couplings_synchronise(tmp_path, capsys):
    path = tmp_path / "folder" / "gaits.png"
    assert gaits.main(["--out", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    rows = [row.split() for row in printed.splitlines() if row.split()[-1] in ("yes", "no")]
    assert len(rows) == len(gaits.COUPLINGS)
    assert {row[3] for row in rows} == {"yes", "no"}
    for row in rows:
        assert (float(row[1]) < 0.0) == (row[3] == "yes")
    assert f"Drawn in {path}" in printed
