"""Modules in timor-python's JSON, placed by the definition of the format; the same as Pinocchio's model.

Explicit products of the file's 4 x 4 matrices, without the library: H = H_a R_x(pi) H_b^-1 for mated
connectors a and b, poseParent T(q) poseChild for a joint, its inverse where the child is reached first.
"""

import numpy as np
import pinocchio as pin

R_X_PI = np.diag([1.0, -1.0, -1.0, 1.0])


class Chain:
    """Modules of a file, each mated with the one before; ``links``: (port of that one, port of this one)."""

    def __init__(self, modules, names, links):
        self.names, self.links = names, links
        self.modules = {module["header"]["ID"]: module for module in modules}
        #: From the world outwards: body, its parent, matrix before the joint, joint, sign, matrix after.
        self.pieces = []
        body, pose = self.connector(names[0], "ground")
        self.append(0, body, None, R_X_PI @ np.linalg.inv(pose))
        for k, (theirs, own) in enumerate(links, 1):
            body, at = self.connector(names[k - 1], theirs)
            entered, pose = self.connector(names[k], own)
            self.append(k, entered, (k - 1, body), at @ R_X_PI @ np.linalg.inv(pose))

    def connector(self, name, own):
        for body in self.modules[name]["bodies"]:
            for connector in body["connectors"]:
                if connector["ID"] == own:
                    return body["ID"], np.array(connector["pose"])
        raise KeyError(own)

    def append(self, k, body, parent, before):
        """A body after its parent, and all that joints connect with it."""
        self.pieces.append(((k, body), parent, before, None, 1.0, np.eye(4)))
        queue, seen = [body], {body}
        while queue:
            here = queue.pop(0)
            for joint in self.modules[self.names[k]].get("joints", []):
                down = joint["parent"] == here
                there = joint["child"] if down else joint["parent"]
                if here not in (joint["parent"], joint["child"]) or there in seen:
                    continue
                seen.add(there)
                queue.append(there)
                first, last = np.array(joint["poseParent"]), np.array(joint["poseChild"])
                if not down:
                    first, last = np.linalg.inv(last), np.linalg.inv(first)
                self.pieces.append(((k, there), (k, here), first, joint, 1.0 if down else -1.0, last))

    def poses(self, q):
        """World poses (4, 4) of all bodies, by (module's index, body)."""
        found, values = {None: np.eye(4)}, iter(q)
        for body, parent, before, joint, sign, after in self.pieces:
            found[body] = found[parent] @ before @ moved(joint, sign, values) @ after
        return found

    def pinocchio(self):
        """Pinocchio's model, with the drives' inertias as armature."""
        model = pin.Model()
        frames = {None: (0, np.eye(4))}
        for (k, body), parent, before, joint, sign, after in self.pieces:
            index, pose = frames[parent]
            pose = pose @ before
            if joint is not None and joint["type"] != "fixed":
                kind = (
                    pin.JointModelPrismaticUnaligned
                    if joint["type"] == "prismatic"
                    else pin.JointModelRevoluteUnaligned
                )
                at = pin.SE3(pose[:3, :3], pose[:3, 3])
                index = model.addJoint(index, kind(np.array([0.0, 0.0, sign])), at, f"{k}.{joint['ID']}")
                model.armature[model.joints[index].idx_v] = joint["gearRatio"] ** 2 * joint["motorInertia"]
                pose = np.eye(4)
            pose = pose @ after
            frames[k, body] = index, pose
            data = next(each for each in self.modules[self.names[k]]["bodies"] if each["ID"] == body)
            inertia = pin.Inertia(data["mass"], np.array(data["r_com"]), np.array(data["inertia"]))
            model.appendBodyToJoint(index, inertia, pin.SE3(pose[:3, :3], pose[:3, 3]))
        return model


def moved(joint, sign, values):
    T = np.eye(4)
    if joint is None or joint["type"] == "fixed":
        return T
    q = sign * next(values)
    if joint["type"] == "prismatic":
        T[2, 3] = q
    else:
        T[:2, :2] = [[np.cos(q), -np.sin(q)], [np.sin(q), np.cos(q)]]
    return T
