"""Lagrange's equation of a robot, from its URDF text: shares nothing with the library's algorithms."""

import xml.etree.ElementTree as xml

import numpy as np

# eighth-order central differences
STEP, WEIGHTS = 1e-3, (4 / 5, -1 / 5, 4 / 105, -1 / 280)


class Lagrangian:
    """M, V and torques of a robot on the ground without mimic joints.

    Everything takes complex q and v and is analytic, so that imaginary steps of 1e-20 differentiate it to
    all digits.
    """

    def __init__(self, graph):
        root = xml.fromstring(graph.urdf)
        self.joints = [self._joint(graph, element) for element in root.findall("joint")]
        self.masses = {link.get("name"): self._mass(link.find("inertial")) for link in root.iter("link")}
        self.root = next(iter(graph.ground.links))
        self.gravity, self.nv = np.asarray(graph.gravity), graph.nv

    @staticmethod
    def _vector(element, key):
        return np.array([float(x) for x in element.get(key, "0 0 0").split()])

    def _joint(self, graph, element):
        pose = np.eye(4)
        r, p, y = self._vector(element.find("origin"), "rpy")
        for axis, angle in ((2, y), (1, p), (0, r)):
            pose[:3, :3] = pose[:3, :3] @ rotation(np.eye(3)[axis], angle)
        pose[:3, 3] = self._vector(element.find("origin"), "xyz")
        ends = element.find("parent").get("link"), element.find("child").get("link")
        at = graph.v_slice(element.get("name")).start
        return *ends, element.get("type"), pose, self._vector(element.find("axis"), "xyz"), at

    def _mass(self, inertial):
        if inertial is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        get = inertial.find("inertia").get
        xx, xy, xz, yy, yz, zz = (float(get(key)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return (
            float(inertial.find("mass").get("value")),
            self._vector(inertial.find("origin"), "xyz"),
            inertia,
        )

    def poses(self, q):
        """Poses of all links in the ground, 4x4."""
        poses = {self.root: np.eye(4, dtype=q.dtype)}
        for parent, child, kind, pose, axis, at in self.joints:
            step = np.eye(4, dtype=q.dtype)
            if kind == "prismatic":
                step[:3, 3] = axis * q[at]
            else:
                step[:3, :3] = rotation(axis, q[at])
            poses[child] = poses[parent] @ pose @ step
        return poses

    def mass_and_potential(self, q):
        """M(q) by jacobians of all links' centres of mass and axes, and V(q); complex q allowed."""
        poses = self.poses(q)
        M, V = np.zeros((self.nv, self.nv), q.dtype), 0.0
        carried = {self.root: []}
        for parent, child, kind, _, axis, at in self.joints:
            carried[child] = [*carried[parent], (child, kind, axis, at)]
            mass, com, inertia = self.masses[child]
            R, origin = poses[child][:3, :3], poses[child][:3, 3]
            centre = origin + R @ com
            linear, angular = np.zeros((3, self.nv), q.dtype), np.zeros((3, self.nv), q.dtype)
            for link, its_kind, its_axis, column in carried[child]:
                z = poses[link][:3, :3] @ its_axis
                if its_kind == "prismatic":
                    linear[:, column] = z
                else:
                    linear[:, column] = np.cross(z, centre - poses[link][:3, 3])
                    angular[:, column] = z
            M = M + mass * linear.T @ linear + angular.T @ R @ inertia @ R.T @ angular
            V = V - mass * self.gravity @ centre
        return M, V

    def torques(self, q, v, vdot):
        """tau = M vdot + dM/dt v - d(T - V)/dq, Lagrange's equation, T = v^T M v / 2."""
        M, _ = self.mass_and_potential(q)
        tau = M @ vdot
        for k in range(self.nv):
            dM, dV = 0.0, 0.0
            for far, weight in enumerate(WEIGHTS, 1):
                for sign in (1, -1):
                    moved = q.copy()
                    moved[k] += sign * far * STEP
                    M_there, V_there = self.mass_and_potential(moved)
                    dM = dM + sign * weight / STEP * M_there
                    dV = dV + sign * weight / STEP * V_there
            tau = tau + dM @ v * v[k]
            tau[k] = tau[k] - 0.5 * v @ dM @ v + dV
        return tau


def rotation(axis, angle):
    """Rodrigues' formula; complex angles allowed."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)
