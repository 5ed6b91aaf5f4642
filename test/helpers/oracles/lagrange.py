"""Lagrange's equation of a robot, from its URDF text: shares nothing with the library's algorithms."""

import xml.etree.ElementTree as xml

import numpy as np

from helpers.oracles.motions import rate
from helpers.oracles.rigid_bodies import mass_of, pose_of, rotation, vector

STEP = 1e-3  # of differences of eighth order


class Lagrangian:
    """M, V and torques of a robot on the ground without mimic joints.

    Everything takes complex q and v and is analytic, so that imaginary steps of 1e-20 differentiate it to
    all digits.
    """

    def __init__(self, graph):
        root = xml.fromstring(graph.urdf)
        self.joints = [self._joint(graph, element) for element in root.findall("joint")]
        links = root.findall("link[inertial]")
        self.masses = {link.get("name"): mass_of(link.find("inertial")) for link in links}
        self.root = next(iter(graph.ground.links))
        self.gravity, self.nv = np.asarray(graph.gravity), graph.nv

    @staticmethod
    def _joint(graph, element):
        ends = element.find("parent").get("link"), element.find("child").get("link")
        at = graph.v_slice(element.get("name")).start
        pose, axis = pose_of(element.find("origin")), vector(element.find("axis"), "xyz")
        return *ends, element.get("type"), pose, axis, at

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
            if child not in self.masses:
                continue
            mass, x_link_centre, inertia = self.masses[child]
            pose = poses[child] @ x_link_centre
            R, centre = pose[:3, :3], pose[:3, 3]
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

    def torques(self, q, v, a):
        """tau = M a + dM/dt v - d(T - V)/dq, Lagrange's equation, T = v^T M v / 2."""
        M, _ = self.mass_and_potential(q)
        tau = M @ a
        for k, unit in enumerate(np.eye(self.nv)):
            numbers = rate(lambda t: np.append(*self.mass_and_potential(q + t * unit)), STEP)  # noqa: B023
            dM, dV = numbers[:-1].reshape(M.shape), numbers[-1]
            tau = tau + dM @ v * v[k]
            tau[k] = tau[k] - 0.5 * v @ dM @ v + dV
        return tau
