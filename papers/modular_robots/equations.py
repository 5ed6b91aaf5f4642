"""Equations 1 to 39 at one state of the organism of Fig. 4: values, and residuals by other means.

Other means: SciPy's matrix exponential, Pinocchio, differences, what a definition says, and the equations of
one section beside those of another.
"""

from typing import NamedTuple

import numpy as np
import pinocchio
from numpy.typing import ArrayLike
from scipy.linalg import expm

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.algebra.matrix_forms import Array, ad, inverse, skew, twist_matrix, twist_vector
from modular_dynamics.algebra.matrix_forms import adjoint_matrix as adjoint
from modular_dynamics.modular.equations import ClosedForm
from modular_dynamics.modular.equations.numeric import body_wrenches, dyads, exp
from papers.modular_robots.kinematics import body_poses
from papers.modular_robots.recursion import RecursionResult, recursion
from papers.report import Report

ROUNDING = 1e-12  # of numbers of size 1 to 10
STEP = 1e-6  # of differences
BY_STEP = 1e-7  # bound of what comes from differences
LOADED, LOAD = "v8/cube", np.array([0.4, -0.3, 0.6, 0.02, -0.05, 0.01])  # F^e on an end link [N, N m]


class State(NamedTuple):
    """The organism's graph and a state, with Pinocchio's model of it.

    Attributes:
        q, v, a: (n,) [rad, rad/s, rad/s^2].
        to_theirs: (n, n) from vectors in the graph's order to those in the model's.
    """

    graph: md.SubsystemGraph
    q: Array
    v: Array
    a: Array
    model: pinocchio.Model
    to_theirs: Array

    @classmethod
    def of(cls, graph: md.SubsystemGraph, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> "State":
        """Return the state with Pinocchio's model of the graph's URDF; a floating base is its free-flyer."""
        urdf, root = graph.to_urdf(), pinocchio.JointModelFreeFlyer()
        if graph.floating_base:
            fixed = md.load_urdf(urdf, floating_base=False).to_urdf()
            model = pinocchio.buildModelFromXML(fixed, root)
        else:
            model = pinocchio.buildModelFromXML(urdf)
        columns = md.joint_order.from_pinocchio(graph, model).to_v(np.eye(graph.nv)).T
        return cls(graph, *(np.asarray(x, float) for x in (q, v, a)), model, columns)

    def theirs(self) -> tuple[Array, Array, Array]:
        """Return M, C v + N and, loaded by LOAD on LOADED, tau, by crba, nonLinearEffects and rnea."""
        model, data, P = self.model, self.model.createData(), self.to_theirs
        q = md.joint_order.from_pinocchio(self.graph, model).to_q(self.q)
        v, a = P @ self.v, P @ self.a
        M = np.array(pinocchio.crba(model, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        effects = P.T @ pinocchio.nonLinearEffects(model, data, q, v)
        frame = model.frames[model.getFrameId(LOADED)] if model.existFrame(LOADED) else None
        loads = [pinocchio.Force.Zero() for _ in range(model.njoints)]
        if frame is not None:
            loads[frame.parentJoint] = frame.placement.act(pinocchio.Force(LOAD))
        return P.T @ M @ P, effects, P.T @ pinocchio.rnea(model, data, q, v, a, loads)

    def their_pose(self, link: str) -> Array:
        """Return Pinocchio's pose (4, 4) of a link."""
        data = self.model.createData()
        q = md.joint_order.from_pinocchio(self.graph, self.model).to_q(self.q)
        pinocchio.framesForwardKinematics(self.model, data, q)
        return np.array(data.oMf[self.model.getFrameId(link)].homogeneous)


def report_equations(report: Report, assembly: modular.Assembly) -> None:
    """Add equations 1 to 39 at a random state of the assembly."""
    graph, rng = assembly.graph(), np.random.default_rng(0)
    q, v, a = rng.uniform(-1.0, 1.0, (3, graph.nv))
    state = State.of(graph, q, v, a)
    _motions(report, rng)
    _kinematics(report, assembly, state)
    wrenches = {LOADED: LOAD}
    found, equations = recursion(graph, q, v, a, wrenches), modular.closed_form(graph)
    _recursion(report, state, equations, found)
    _matrices(report, assembly, state, equations, found)
    _closed_form(report, state, equations)
    _moving_base(report, assembly, rng)


def _worst(difference: ArrayLike) -> float:
    return float(np.abs(difference).max())


def _words(numbers: ArrayLike) -> str:
    return "  ".join(f"{x + 0.0:.4g}" for x in np.ravel(numbers))  # no negative zeros


def _motions(report: Report, rng: np.random.Generator) -> None:
    """Equations 1 to 17 of random twists of a hinge that is off the origin."""
    table = "Section II, equations 1 to 17: residuals at a hinge's twist"
    w = rng.normal(size=3)
    w, p, angle = w / np.linalg.norm(w), rng.normal(size=3), 0.7
    s, (x, y, z) = np.concatenate([-np.cross(w, p), w]), rng.normal(size=(3, 6))
    H, turn = exp(s, angle), skew(w)
    R = H[:3, :3]

    def add(what: str, residual: ArrayLike, within: float | None = ROUNDING) -> None:
        report.add(table, what, _worst(residual), within=within)

    add("(1) R^T R - 1, last row of H", [*(R.T @ R - np.eye(3)).ravel(), *(H[3] - [0, 0, 0, 1])])
    add(
        "(2), (3) twist matrix: w^ + w^T^; w^ r - w x r",
        [*(turn + turn.T).ravel(), *(turn @ p - np.cross(w, p))],
    )
    jacobi = ad(x) @ ad(y) @ z + ad(y) @ ad(z) @ x + ad(z) @ ad(x) @ y
    add("Lie bracket: [x, y] + [y, x], Jacobi's identity", [*(ad(x) @ y + ad(y) @ x), *jacobi])
    rate = (expm(turn * (angle + STEP)) - expm(turn * (angle - STEP))) @ p / (2.0 * STEP)
    add("(4), (5) d/dt e^(w^ t) p(0) - w x p(t)", rate - turn @ expm(turn * angle) @ p, BY_STEP)
    series, term = np.eye(3), np.eye(3)
    for k in range(1, 25):
        term = term @ turn * angle / k
        series = series + term
    add("(6), (7) 24 terms of the series less expm", series - expm(turn * angle))
    rodrigues = np.eye(3) + turn * np.sin(angle) + turn @ turn * (1.0 - np.cos(angle))
    add("(8) 1 + w^ sin q + w^^2 (1 - cos q) less expm", rodrigues - expm(turn * angle))
    printed = np.eye(3) + turn + np.sin(angle) + turn @ turn * (1.0 - np.cos(angle))
    add("(8) as printed, with a plus after w^", printed - expm(turn * angle), None)
    add("(9) e^(s^ q) less expm", H - expm(twist_matrix(s) * angle))
    add("(10) s = (-w x p, w): the axis rests", twist_matrix(s) @ [*p, 1.0])
    through = np.concatenate([np.zeros(3), w])
    add("(11) axis through the frame's origin: v = 0; the origin rests", exp(through, angle)[:3, 3])
    add("(11) for the axis of (10): what it leaves out of v [m/s]", s - through, None)
    slide = np.concatenate([w, np.zeros(3)])
    add(
        "(12) s = (v, 0): a translation by v q",
        exp(slide, angle)[:3] - np.column_stack([np.eye(3), w * angle]),
    )
    add("(13) Ad(X) y less X y^ X^-1", adjoint(H) @ y - twist_vector(H @ twist_matrix(y) @ inverse(H)))
    commutator = twist_matrix(x) @ twist_matrix(y) - twist_matrix(y) @ twist_matrix(x)
    add("(14), (15) ad(x) y less the commutator", ad(x) @ y - twist_vector(commutator))
    wrench_a = adjoint(inverse(H)).T @ z  # z acts in frame b, whose pose in a is H
    add("(16), (17) power of a wrench in a less that in b", wrench_a @ x - z @ (adjoint(inverse(H)) @ x))


def _kinematics(report: Report, assembly: modular.Assembly, state: State) -> None:
    """Equations 18 to 21, and Pinocchio's poses."""
    table = "Sections III, IV, equations 18 to 21: poses of the organism, residuals beside Pinocchio's"
    graph, q = state.graph, state.q
    first = dyads(modular.equations.tree_data(graph), q)[0]
    report.add(table, "(18) H_01(q_1): x y z [m]", _words(first[:3, 3]))
    report.add(
        table, "(18) H_01(q_1) less theirs", _worst(first - state.their_pose("v1/cube")), within=ROUNDING
    )
    for number, form in (("19", "global"), ("20", "local")):
        poses = body_poses(graph, q, form)
        worst = max(_worst(H - state.their_pose(link)) for link, H in poses.items())
        what = f"({number}) all bodies' poses by products of exponentials, {form} form"
        report.add(table, what, worst, within=ROUNDING)
    direct, indirect = assembly.direct_transformations(), assembly.indirect_transformations()
    T = dict(zip([*(row[:2] for row in direct), *(row[0] for row in indirect)],
                 [*direct.poses(q), *indirect.poses(q)], strict=True))  # fmt: skip
    report.add(table, "(21) T_02(q): x y z [m]", _words(T[0, 2][:3, 3]))
    products = max(_worst(T[ij] - T[ix] @ T[xj]) for ij, ix, xj in indirect)
    report.add(table, "(21) T_ij - T_ix T_xj, all rows of the IDTL", products, within=ROUNDING)
    theirs = {k: state.their_pose(f"v{k}/cube") for k in range(1, 9)} | {0: np.eye(4)}
    worst = max(_worst(x - inverse(theirs[i]) @ theirs[j]) for (i, j), x in T.items())
    report.add(table, "(21) all rows less theirs", worst, within=ROUNDING)


def _recursion(report: Report, state: State, equations: ClosedForm, found: RecursionResult) -> None:
    """Equations 22 to 29: the recursion, loaded at an end link."""
    table = (
        "Section V.A, equations 22 to 29: the recursion, a wrench on v8, residuals beside Pinocchio's rnea"
    )
    graph, tree, (q, v, a) = state.graph, equations.tree, state[1:4]
    tau = state.theirs()[2]
    report.add(table, "(22), (23) V_0; Vdot_0 [m/s, rad/s; m/s^2, rad/s^2]", f"0;  {_words(tree.Vdot0)}")
    data, last = state.model.createData(), tree.bodies.index(LOADED)
    order = md.joint_order.from_pinocchio(graph, state.model)
    pinocchio.forwardKinematics(state.model, data, order.to_q(q), state.to_theirs @ v, state.to_theirs @ a)
    joint = state.model.getJointId(tree.joints[last])
    report.add(table, "(24), (25) V_8 [m/s, rad/s]", _words(found.V[last]))
    report.add(
        table, "(24), (25) V_8 less theirs", _worst(found.V[last] - data.v[joint].vector), within=ROUNDING
    )
    lifted = adjoint(inverse(body_poses(graph, q)[LOADED])) @ tree.Vdot0  # theirs is without gravity
    residual = found.Vdot[last] - lifted - data.a[joint].vector
    report.add(table, "(26) Vdot_8 [m/s^2, rad/s^2]", _words(found.Vdot[last]))
    report.add(table, "(26) with ad(V_i) S_i qd_i: Vdot_8 less theirs", _worst(residual), within=ROUNDING)
    report.add(table, "(27) F_8 [N, N m]", _words(found.F[last]))
    own = tree.M[last] @ found.Vdot[last] - ad(found.V[last]).T @ tree.M[last] @ found.V[last]
    what = "(27) of the end link: F_8 + F^e - M Vdot + ad* M V"
    report.add(table, what, _worst(found.F[last] + LOAD - own), within=ROUNDING)
    report.add(table, "(28) tau_1 ... tau_8 [N m]", _words(found.tau))
    report.add(table, "(28) tau less theirs", _worst(found.tau - tau), within=ROUNDING)
    mass, inertia = tree.mass[0], np.diag(tree.inertia[0])
    report.add(table, "(29) M_i of a Backbone [kg, kg m^2]", _words(np.diag(tree.M[0])))
    report.add(table, "(29) M_i - diag(m, m, m, I), twists are (v, w)",
               _worst(tree.M - np.diag([mass] * 3 + [*inertia])), within=ROUNDING)  # fmt: skip


def _matrices(
    report: Report,
    assembly: modular.Assembly,
    state: State,
    equations: ClosedForm,
    found: RecursionResult,
) -> None:
    """Equations 30 to 35: the recursion in matrices."""
    table = "Section V.B, equations 30 to 35: matrices, residuals beside the recursion"
    (q, v, a), tree = state[1:4], equations.tree
    T, T_H0, S, M = equations.matrices(q)
    n, J = len(tree.bodies), T @ S
    V = J @ v
    ad_Sq, dual = np.zeros_like(T), np.zeros_like(T)
    for k in range(n):
        rows = slice(6 * k, 6 * k + 6)
        ad_Sq[rows, rows] = -ad(tree.S[k] * v[tree.columns[k]])
        dual[rows, rows] = -ad(V[rows]).T
    Vdot = T_H0 @ tree.Vdot0 + J @ a + T @ ad_Sq @ V
    F = T.T @ (M @ Vdot + dual @ M @ V - body_wrenches(tree, {LOADED: LOAD}).ravel())
    report.add(table, "(30) V = T S qd", _worst(V - found.V.ravel()), within=ROUNDING)
    report.add(table, "(31) Vdot = T_H0 Vdot_0 + T S qdd + T ad_Sq V", _worst(Vdot - found.Vdot.ravel()),
               within=ROUNDING)  # fmt: skip
    report.add(table, "(32) F = T^T (M Vdot + ad*_V M V - F^e)", _worst(F - found.F.ravel()), within=ROUNDING)
    report.add(table, "(33) tau = S^T F", _worst(S.T @ F - found.tau), within=ROUNDING)
    poses = np.array([adjoint(inverse(state.their_pose(link))) for link in tree.bodies]).reshape(6 * n, 6)
    report.add(table, "(34) T_H0 less Ad of Pinocchio's poses", _worst(T_H0 - poses), within=ROUNDING)
    above = np.triu(np.kron(np.ones((n, n)), np.ones((6, 6))) * T, 6)
    report.add(
        table, f"(35) T is {6 * n} x {6 * n}: what is above its blocks' diagonal", _worst(above), within=0.0
    )
    blocks = sum(bool(T[6 * i : 6 * i + 6, 6 * j : 6 * j + 6].any()) for i in range(n) for j in range(n))
    pairs = [*(row.ij for row in assembly.direct_transformations()),
             *(row.ij for row in assembly.indirect_transformations())]  # fmt: skip
    listed = n + sum(i != 0 for i, _ in pairs)  # those from v0 are in T_H0
    report.add(table, f"(35) {blocks} blocks of T are not zero, less identities and rows of DTL and IDTL",
               blocks - listed, within=0.0)  # fmt: skip


def _closed_form(report: Report, state: State, equations: ClosedForm) -> None:
    """Equations 36 to 39 by numbers and by symbols."""
    table = "Equations 36 to 39: M, C, N of numbers and of symbols, residuals beside Pinocchio's"
    graph, q, v, a = state[:4]
    M, effects, tau = state.theirs()
    wrenches = {LOADED: LOAD}
    C, N = equations.C(q, v), equations.N(q)
    sum_of_terms = equations.M(q) @ a + C @ v + equations.N(q, wrenches)
    report.add(
        table,
        "(36) M a + C v + N less rnea's, with a wrench on v8",
        _worst(sum_of_terms - tau),
        within=ROUNDING,
    )
    report.add(table, "(37) M less crba's", _worst(equations.M(q) - M), within=ROUNDING)
    report.add(
        table, "(37) least eigenvalue of M [kg m^2]", f"{np.linalg.eigvalsh(equations.M(q)).min():.4g}"
    )
    report.add(
        table, "(38), (39) C v + N less nonLinearEffects", _worst(C @ v + N - effects), within=ROUNDING
    )
    ahead, behind = (equations.M(q + step * v) for step in (STEP, -STEP))
    rate = (ahead - behind) / (2.0 * STEP)
    report.add(table, "(38) skew-symmetry of Mdot - 2 C", _worst(rate - C - C.T), within=BY_STEP)
    paper = equations.C(q, v, "paper")
    report.add(table, "(38) with ad*_V M: its C v less ours", _worst(paper @ v - C @ v), within=ROUNDING)
    report.add(
        table, "(38) with ad*_V M: skew-symmetry of Mdot - 2 C is lost", _worst(rate - paper - paper.T)
    )
    report.add(table, "(39) N_1 ... N_8 [N m]", _words(N))
    symbolic = modular.closed_form(graph, symbolic=True)
    for name, state_vectors, number in (("M", (q,), 37), ("C", (q, v), 38), ("N", (q,), 39)):
        ours = symbolic.python_function(name)(*state_vectors)
        numeric = getattr(equations, name)(*state_vectors)
        what = f"({number}) {name} of symbols, {symbolic.operations[name]} operations, less that of numbers"
        report.add(table, what, _worst(ours - numeric), within=ROUNDING)


def _moving_base(report: Report, assembly: modular.Assembly, rng: np.random.Generator) -> None:
    """Six virtual joints move the base (section V.B): beside Pinocchio's free-flyer."""
    table = "Section V.B, a moving base by virtual joints: residuals beside Pinocchio's free-flyer"
    graph = md.load_urdf(assembly.graph().to_urdf(), floating_base=True)
    q, v, a = rng.uniform(-1.0, 1.0, graph.nq), *rng.uniform(-1.0, 1.0, (2, graph.nv))
    state = State.of(graph, q, v, a)
    M, effects, tau = state.theirs()
    equations = modular.closed_form(assembly, floating_base=True)
    report.add(table, "joints, the base's six among them", f"{len(equations.M(q))}")
    report.add(table, "M less crba's", _worst(equations.M(q) - M), within=ROUNDING)
    ours = equations.C(q, v) @ v + equations.N(q)
    report.add(table, "C v + N less nonLinearEffects", _worst(ours - effects), within=ROUNDING)
    loaded = recursion(graph, q, v, a, {LOADED: LOAD}).tau
    report.add(table, "(22)-(28) tau less rnea's, with a wrench on v8", _worst(loaded - tau), within=ROUNDING)
    symbolic = modular.closed_form(assembly, floating_base=True, symbolic=True)
    for name, vectors in (("M", (q,)), ("C", (q, v)), ("N", (q,))):
        difference = symbolic.python_function(name)(*vectors) - getattr(equations, name)(*vectors)
        report.add(table, f"{name} of symbols less that of numbers", _worst(difference), within=ROUNDING)
    library = md.coriolis_matrix(graph, q, v) - equations.C(q, v)
    report.add(table, "C less the library's of its floating base", _worst(library), within=ROUNDING)
