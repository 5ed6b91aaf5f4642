import mujoco
import numpy as np

from benchmark.peers.mujoco_log import warn_on_stderr

PENDULUM = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"


def test_a_warning_goes_to_stderr_and_writes_no_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    warn_on_stderr()
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    data.qpos[0] = np.nan
    mujoco.mj_step(model, data)
    assert "MuJoCo: Nan, Inf or huge value in QPOS" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
