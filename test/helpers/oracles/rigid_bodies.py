"""Newton's and Euler's laws for every link of a robot with loops, from its URDF text alone.

Shares nothing with the library: motions are power series in time, cut off behind t^2, of 4x4 poses.
"""

import xml.etree.ElementTree as xml

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def unskew(m):
    return 0.5 * np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])


def rotation(axis, angle):
    """Rodrigues' formula; complex angles allowed."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def vector(element, key):
    """Three numbers of an element's attribute; zeros where it or the element is missing."""
    text = None if element is None else element.get(key)
    return np.array([float(x) for x in (text or "0 0 0").split()])


def pose_of(element):
    """4x4 of an element's xyz and rpy."""
    pose = np.eye(4)
    r, p, y = vector(element, "rpy")
    pose[:3, :3] = rotation((0, 0, 1), y) @ rotation((0, 1, 0), p) @ rotation((1, 0, 0), r)
    pose[:3, 3] = vector(element, "xyz")
    return pose


def mass_of(inertial):
    """Mass, pose of the centre of mass and its axes, inertia (3, 3) in these."""
    xx, xy, xz, yy, yz, zz = (
        float(inertial.find("inertia").get(key)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return float(inertial.find("mass").get("value")), pose_of(inertial.find("origin")), inertia


def product(a, b):
    """Of two power series of matrices."""
    return [a[0] @ b[0], a[0] @ b[1] + a[1] @ b[0], a[0] @ b[2] + a[1] @ b[1] + a[2] @ b[0]]


def carried(pose, twist):
    """A pose (p, quaternion w x y z) after a unit of time with a constant twist (v, omega) in the body."""
    X, hat = np.eye(4), np.zeros((4, 4))
    X[:3, :3], X[:3, 3] = Rotation.from_quat(pose[[4, 5, 6, 3]]).as_matrix(), pose[:3]
    hat[:3, :3], hat[:3, 3] = skew(twist[3:]), twist[:3]
    X = X @ expm(hat)
    return np.concatenate([X[:3, 3], Rotation.from_matrix(X[:3, :3]).as_quat()[[3, 0, 1, 2]]])


def moved(graph, q, step):
    """Coordinates after a step (nv) of all joints; floating and spherical ones move along their own axes."""
    q, here = q.copy(), np.zeros(3)
    for name in graph.joint_names:
        at, part = graph.q_slice(name), step[graph.v_slice(name)]
        if len(part) == 3:
            q[at] = carried(np.concatenate([here, q[at]]), np.concatenate([here, part]))[3:]
        else:
            q[at] = carried(q[at], part) if len(part) == 6 else q[at] + part
    return q


class RigidBodies:
    """Links, joints, loop joints, gears and springs of a graph's text; coordinates in the graph's order."""

    def __init__(self, graph):
        root = xml.fromstring(graph.urdf)
        self.graph, self.gravity = graph, np.asarray(graph.gravity)
        self.root = next(iter(graph.ground.links))
        self.links = {link.get("name"): link.find("inertial") for link in root.findall("link")}
        self.joints = {joint.find("child").get("link"): joint for joint in root.findall("joint")}
        self.loops = list(root.iter("loop_joint"))
        self.springs, self.gears = list(root.iter("spring")), list(root.iter("gear"))

    def _driver(self, joint):
        mimic = joint.find("mimic")
        if mimic is None:
            return joint.get("name"), 1.0, 0.0
        return mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))

    def _series(self, joint, q, v, a):
        """Pose of a joint's child in its parent over time."""
        kind, origin = joint.get("type"), pose_of(joint.find("origin"))
        moved = [np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))]
        if kind == "floating":
            at, rate = self.graph.q_slice(joint.get("name")), self.graph.v_slice(joint.get("name"))
            w, x, y, z = q[at][3:] / np.linalg.norm(q[at][3:])
            K = skew((x, y, z))
            R, spin, twist, push = np.eye(3) + 2 * w * K + 2 * K @ K, skew(v[rate][3:]), v[rate], a[rate]
            moved[0][:3] = np.column_stack([R, q[at][:3]])
            moved[1][:3] = R @ np.column_stack([spin, twist[:3]])
            second = np.column_stack([spin @ spin + skew(push[3:]), push[:3] + spin @ twist[:3]])
            moved[2][:3] = 0.5 * R @ second
        elif kind != "fixed":
            driver, ratio, offset = self._driver(joint)
            at, rate = self.graph.q_slice(driver).start, self.graph.v_slice(driver).start
            place, speed, push = ratio * q[at] + offset, ratio * v[rate], ratio * a[rate]
            axis = vector(joint.find("axis"), "xyz")
            axis = axis / np.linalg.norm(axis)
            if kind == "prismatic":
                for series, value in zip(moved, (place, speed, 0.5 * push), strict=True):
                    series[:3, 3] = axis * value
            else:
                K, R = skew(axis), rotation(axis, place)
                moved[0][:3, :3], moved[1][:3, :3] = R, speed * K @ R
                moved[2][:3, :3] = 0.5 * (push * K + speed**2 * K @ K) @ R
        return [origin @ term for term in moved]

    def series(self, q, v=None, a=None):
        """Poses of all links in the root over time."""
        rest = np.zeros(self.graph.nv)
        v, a = rest if v is None else v, rest if a is None else a
        poses = {self.root: [np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))]}

        def place(link):
            if link not in poses:
                joint = self.joints[link]
                above = place(joint.find("parent").get("link"))
                poses[link] = product(above, self._series(joint, q, v, a))
            return poses[link]

        for link in self.links:
            place(link)
        return poses

    def poses(self, q):
        return {link: series[0] for link, series in self.series(q).items()}

    def gap(self, name, q):
        """Pose of a loop joint's successor anchor in its predecessor anchor."""
        poses, loop = self.poses(q), next(loop for loop in self.loops if loop.get("name") == name)
        ends = [
            poses[loop.find(side).get("link")] @ pose_of(loop.find(side))
            for side in ("predecessor", "successor")
        ]
        return np.linalg.solve(*ends)

    def inertial_wrenches(self, series):
        """Force, and moment about the root's origin, of each link's mass times acceleration less gravity."""
        wrenches = {}
        for link, inertial in self.links.items():
            wrenches[link] = np.zeros(6)
            if inertial is None:
                continue
            X0, X1, X2 = series[link]
            (mass, centre, inertia), R = mass_of(inertial), X0[:3, :3]
            axes = R @ centre[:3, :3]
            inertia = axes @ inertia @ axes.T
            omega = unskew(X1[:3, :3] @ R.T)
            alpha = unskew(2.0 * X2[:3, :3] @ R.T)
            place, push = X0 @ centre[:, 3], 2.0 * X2 @ centre[:, 3]
            force = mass * (push[:3] - self.gravity)
            moment = inertia @ alpha + np.cross(omega, inertia @ omega)
            wrenches[link] = np.concatenate([force, moment + np.cross(place[:3], force)])
        return wrenches

    def equilibrium_residual(self, result):
        """For each joint coordinate: wrench through the joint less the efforts of its motor and gears.

        From the tips to the root: the wrench through a joint is the inertial wrench of all links behind it,
        less the wrenches of cuts and springs on them.
        """
        graph = self.graph
        series = self.series(result.coordinates, result.velocities, result.accelerations)
        through = self.inertial_wrenches(series)
        for loop in self.loops:
            before, after = (loop.find(side) for side in ("predecessor", "successor"))
            frame = series[after.get("link")][0] @ pose_of(after)
            force, moment = (frame[:3, :3] @ part for part in np.split(result.wrenches[loop.get("name")], 2))
            wrench = np.concatenate([force, moment + np.cross(frame[:3, 3], force)])
            through[after.get("link")] -= wrench
            through[before.get("link")] += wrench
        for spring in self.springs:
            ends = spring.findall("anchor")
            first, second = (
                np.array([term @ pose_of(end)[:, 3] for term in series[end.get("link")]]) for end in ends
            )
            arm, rate = (second - first)[0, :3], (second - first)[1, :3]
            length = np.linalg.norm(arm)
            initial, stiffness, free, damping = (
                float(spring.get(key, 0)) for key in ("initial_force", "stiffness", "free_length", "damping")
            )
            tension = initial + stiffness * (length - free) + damping * arm @ rate / length
            for end, place, sign in zip(ends, (first, second), (1, -1), strict=True):
                force = sign * tension * arm / length
                through[end.get("link")] -= np.concatenate([force, np.cross(place[0, :3], force)])
        drive = np.zeros(graph.nv)

        def pass_on(link):
            for child, joint in self.joints.items():
                if joint.find("parent").get("link") == link:
                    pass_on(child)
                    through[link] += through[child]
            if link == self.root:
                return
            joint, X = self.joints[link], series[link][0]
            force, moment = through[link][:3], through[link][3:] - np.cross(X[:3, 3], through[link][:3])
            if joint.get("type") == "floating":
                wrench = np.concatenate([X[:3, :3].T @ force, X[:3, :3].T @ moment])
                drive[graph.v_slice(joint.get("name"))] += wrench
            elif joint.get("type") != "fixed":
                axis = vector(joint.find("axis"), "xyz")
                axis = X[:3, :3] @ axis / np.linalg.norm(axis)
                driver, ratio, _ = self._driver(joint)
                works = axis @ (force if joint.get("type") == "prismatic" else moment)
                drive[graph.v_slice(driver).start] += ratio * works

        pass_on(self.root)
        names = graph.independent_joint_names
        places = [k for name in names for k in range(graph.nv)[graph.v_slice(name)]]
        drive[np.array(places, int)] -= result.tau
        efforts = result.multipliers[len(result.multipliers) - len(self.gears) :]
        for gear, effort in zip(self.gears, efforts, strict=True):
            drive[graph.v_slice(gear.get("joint")).start] -= effort
            drive[graph.v_slice(gear.get("driver")).start] += effort * float(gear.get("ratio"))
        return drive


class MovingBodies(RigidBodies):
    """The links at one state; all in the root's axes."""

    def __init__(self, graph, q, v, a):
        super().__init__(graph)
        self.moved = self.series(q, v, a)
        self.wrenches = self.inertial_wrenches(self.moved)
        # poses over time with one joint velocity of 1
        self.unit_motions = [self.series(q, unit) for unit in np.eye(graph.nv)]

    def frame(self, link):
        pose = self.moved[link][0]
        return pose[:3, :3], pose[:3, 3]

    def point(self, name, link=None):
        """Point of a joint (its child's origin), a cut joint (on its successor) or a spring (on a link)."""
        for child, joint in self.joints.items():
            if joint.get("name") == name:
                return self.frame(child)[1]
        cuts = [loop.find("successor") for loop in self.loops if loop.get("name") == name]
        anchors = [spring.findall("anchor") for spring in self.springs if spring.get("name") == name]
        end = cuts[0] if cuts else next(end for end in anchors[0] if end.get("link") == link)
        return (self.moved[end.get("link")][0] @ pose_of(end))[:3, 3]

    def _all_carried(self, link, others):
        """Return links that this one carries, itself included, and none of the others does."""
        carriers = {link, *others}

        def carrier(x):
            while x in self.joints and x not in carriers:
                x = self.joints[x].find("parent").get("link")
            return x

        return [x for x in self.links if carrier(x) == link]

    def inertial_wrench(self, link, others, about):
        """Inertial force, and moment about a point, of all that it carries and none of the others does."""
        force, moment = np.split(sum(self.wrenches[x] for x in self._all_carried(link, others)), 2)
        return force, moment - np.cross(about, force)

    def generalised(self, link, force, moment, point):
        """Generalized forces of a wrench at a point of a link, in the graph's order of joints: its power."""
        in_link = np.linalg.solve(self.moved[link][0], [*point, 1.0])
        rates = [(unit[link][1], unit[link][0]) for unit in self.unit_motions]
        return np.array(
            [force @ (X1 @ in_link)[:3] + moment @ unskew(X1[:3, :3] @ X0[:3, :3].T) for X1, X0 in rates]
        )
