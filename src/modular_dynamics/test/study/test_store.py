import errno
import os

import pytest

from helpers.studies import study_file
from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import Evaluator, evaluated_rows, evaluation, load_study
from modular_dynamics.study import store as storing
from modular_dynamics.study.run import run_study
from modular_dynamics.study.store import Store, about_of, columns_of_file, parquet_bytes


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Of a study of 30 designs in chunks of 8."""
    monkeypatch.setattr(evaluation, "BLOCK_DESIGNS", 8)
    store = Store(tmp_path / "out", load_study(study_file(tmp_path)))
    store.open()
    store.describe()
    return store


def chunk_of(store, chunk):
    return parquet_bytes(evaluated_rows(Evaluator(store.study), *store.bounds(chunk)))


def write_chunks(store):
    for chunk in (3, 0, 2, 1):
        assert chunk in list(store.missing())
        store.write_chunk(chunk, chunk_of(store, chunk))
    assert list(store.missing()) == []


def test_chunks_make_one_file_in_order(store, monkeypatch):
    monkeypatch.setattr(storing, "GROUPED", 3)
    write_chunks(store)
    store.finish()
    columns = columns_of_file(store.result)
    assert columns["index"].tolist() == list(range(30))
    assert sorted(os.listdir(store.folder)) == ["about.json", "designs.parquet"]


def test_a_damaged_chunk_is_computed_again(store):
    content = chunk_of(store, 1)
    store.write_chunk(1, content)
    assert list(store.missing()) == [0, 2, 3]
    store.path(1).write_bytes(content[:-9])
    assert list(store.missing()) == [0, 1, 2, 3]


def test_a_damaged_result_is_named_and_computed_again(store):
    write_chunks(store)
    assert not store.is_finished
    store.finish()
    assert store.is_finished
    whole = store.result.read_bytes()
    unfinished = store.folder / ".4711.part"  # of a run that was killed
    unfinished.write_bytes(whole[:50])
    store.tidy()
    assert not unfinished.exists()
    for damaged in (whole[:-9], b""):
        store.result.write_bytes(damaged)
        assert not store.is_finished
        with pytest.raises(StudyError, match=r"designs\.parquet' cannot be read: .*; remove it and run"):
            columns_of_file(store.result)


def test_another_study_in_the_folder_is_refused_by_name(store, tmp_path):
    text = "holds another version of the study 'four_bar'"
    with pytest.raises(StudyError, match=text):
        Store(store.folder, load_study(study_file(tmp_path, keep={}))).open()
    with pytest.raises(StudyError, match=r"holds the study 'four_bar'.*, not 'other'"):
        Store(store.folder, load_study(study_file(tmp_path, name="other"))).open()
    for content in ("{", "[]", '{"name": "four_bar", "study": 3, "digest": ""}', "[" * 100_000):
        (store.folder / "about.json").write_text(content)
        with pytest.raises(StudyError, match=r"about\.json' is damaged: it describes no study; remove it"):
            store.open()


def test_results_of_something_else_are_not_replaced(store, tmp_path):
    (folder := tmp_path / "mine").mkdir()
    (mine := folder / "designs.parquet").write_bytes(b"mine")
    with pytest.raises(StudyError, match=r"designs\.parquet' is of no study: about\.json is missing"):
        run_study(store.study, folder)
    assert mine.read_bytes() == b"mine"


def test_the_folder_names_the_file_of_the_last_run(store, tmp_path):
    """One that differs in its objective has the same designs, and a report needs the objective."""
    (tmp_path / "other").mkdir()
    other = load_study(study_file(tmp_path / "other", objective={"largest": 0.1, "mean": 0.9}))
    again = Store(store.folder, other)
    again.open()
    again.describe()
    about = about_of(store.folder)
    assert about["study"] == str(other.source)


def test_files_of_others_in_the_folder_stay(store):
    write_chunks(store)
    store.path(0).with_name(".4711.part").write_text("")  # of a run that was killed
    mine = store.path(0).with_name("mine.parquet")
    mine.write_text("")
    store.finish()
    assert list(mine.parent.iterdir()) == [mine]


def test_a_full_disk_is_named_and_what_was_finished_stays(store, monkeypatch):
    store.write_chunk(0, chunk_of(store, 0))

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(
            StudyError, match=r"chunks/.*cannot be written: No space left.* what was finished stays"
        ):
            store.write_chunk(1, chunk_of(store, 1))
    assert list(store.missing()) == [1, 2, 3]
    assert [path.name for path in store.path(0).parent.iterdir()] == [store.path(0).name]  # nothing half
