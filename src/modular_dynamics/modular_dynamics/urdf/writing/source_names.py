"""Names in a source: with the prefix of an attached robot, and materials that do not meet those of others."""

from lxml import etree

from ..load import free_name

__all__ = ["Materials", "rename"]

#: Attributes that name links and joints, by path from <robot>.
_NAMES = (
    *(("link", "name"), ("joint", "name"), ("joint/parent", "link"), ("joint/child", "link")),
    *(("joint/mimic", "joint"), ("gazebo", "reference")),
    *(("transmission", "name"), ("transmission/joint", "name"), ("transmission/actuator", "name")),
    *(("ros2_control", "name"), ("ros2_control/joint", "name")),
)


def rename(root: etree._Element, prefix: str) -> None:
    """Put a prefix before the names of links and joints, in place."""
    for path, key in _NAMES if prefix else ():
        for element in root.findall(path):
            if (name := element.get(key)) is not None:
                element.set(key, prefix + name)


class Materials:
    """Materials by name, of several texts.

    A name that two texts give to different materials is changed in the second one. Materials may be defined
    below <robot> and in visuals, and either definition counts for the whole text.
    """

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def added(self, root: etree._Element, prefix: str) -> list[etree._Element]:
        """Definitions below a further <robot> that are not there yet; names in it are changed in place."""
        uses = [own for own in root.iter("material") if own.get("name")]
        definitions = {str(own.get("name")): own for own in reversed(uses) if len(own)}
        new: dict[str, str] = {}
        for name, own in definitions.items():
            if self._known.get(name, _content(own)) != _content(own):
                new[name] = free_name(prefix + name if prefix else f"{name}_", {*self._known, *definitions})
        for own in uses:
            own.set("name", new.get(str(own.get("name")), str(own.get("name"))))
        known = {*self._known}
        self._known |= {str(own.get("name")): _content(own) for own in definitions.values()}
        return [own for own in root.findall("material") if own.get("name") not in known]


def _content(material: etree._Element) -> bytes:
    """Its colour and texture."""
    return b"".join(etree.tostring(own, method="c14n", with_tail=False).strip() for own in material)
