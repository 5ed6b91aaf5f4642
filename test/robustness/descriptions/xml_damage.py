"""What XML can do to its reader: entities, DTDs, depth, namespaces, comments and size."""

from collections.abc import Callable
from random import Random

__all__ = ["XML_DAMAGE"]

_ENTITIES = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))
_XACRO = (
    '<xacro:include filename="/etc/passwd"/>',
    '<xacro:property name="x" value="${1/0}"/>',
    "<xacro:macro/>",
    '<xacro:if value="${[].append(1)}"><link name="x"/></xacro:if>',
    '<include filename="x"/>',
)
_DTDS = (
    f'<!DOCTYPE robot [<!ENTITY e0 "lol">{_ENTITIES}]>',
    '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/robot.dtd">',
    '<!DOCTYPE robot [<!ATTLIST link name CDATA "x">]>',
    "<!DOCTYPE robot>",
    '<!DOCTYPE robot [<!ENTITY % p SYSTEM "file:///dev/zero">%p;]>',
)


def _dtd(text: str, random: Random) -> tuple[str, str]:
    dtd = random.choice(_DTDS)
    before = random.choice(("", "<!-- x -->", '<?xml version="1.0"?>', "<?a b?>", " \n"))
    use = random.choice(("", "&e9;", "&x;"))
    return f"{before}{dtd}{text.replace('</link>', use + '</link>', 1)}", "a DTD"


def _deep(text: str, random: Random) -> tuple[str, str]:
    depth, tag = (
        random.choice((100, 250, 300, 1000, 100_000)),
        random.choice(("a", "link", "origin", "subsystem")),
    )
    inside = f"<{tag}>" * depth + random.choice((f"</{tag}>" * depth, ""))
    where = random.choice(("</robot>", "</link>", "</joint>", "</modular_dynamics>"))
    return text.replace(where, inside + where, 1), f"{depth} deep <{tag}>"


def _comments(text: str, random: Random) -> tuple[str, str]:
    piece = random.choice(
        ("<!---->", "<!-- -- -->", "<!--", "-->", "<?pi x?>", "<![CDATA[<link/>]]>", "<?", "<!-- - --->")
    )
    count, at = (
        random.choice((1, 1, 10, 1000)),
        random.choice((0, text.find(">") + 1, text.rfind("<"), len(text))),
    )
    return text[:at] + piece * count + text[at:], f"{count} times {piece}"


def _namespaces(text: str, random: Random) -> tuple[str, str]:
    new = random.choice(
        ('<robot xmlns="urn:x"', '<robot xmlns:x="urn:x"', '<x:robot xmlns:x="urn:x"', "<x:robot",
         '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"', '<robot xmlns=""', '<robot xmlns:xml="urn:x"')
    )  # fmt: skip
    return text.replace("<robot", new, 1), f"{new}"


def _xacro(text: str, random: Random) -> tuple[str, str]:
    tag = random.choice(_XACRO)
    return text.replace("</robot>", tag + "</robot>", 1), tag


def _large(text: str, random: Random) -> tuple[str, str]:
    piece = random.choice(("\n", " ", "<a/>", "x", "<a>\n</a>", "<!--\n-->"))
    count = random.choice((1000, 100_000))
    at = random.choice((0, text.rfind("<"), len(text)))
    return text[:at] + piece * count + text[at:], f"{count} times {piece!r}"


def _other_root(text: str, random: Random) -> tuple[str, str]:
    new = random.choice(
        ("", "<robot/>", "<robot name='x'/>", "<mujoco/>", "<sdf/>", "<", "<>", "<robot", "</robot>", " ")
    )
    return new, f"the whole is {new!r}"


XML_DAMAGE: tuple[Callable[[str, Random], tuple[str, str]], ...] = (
    _dtd, _deep, _comments, _namespaces, _xacro, _large, _other_root)  # fmt: skip
