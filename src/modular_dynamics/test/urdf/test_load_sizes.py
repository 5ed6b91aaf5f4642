"""Large descriptions: time grows with their size, not faster, and limits are named."""

from time import process_time

import pytest

import modular_dynamics as md
from modular_dynamics.text.sizes import MAX_ATTRIBUTES, MAX_JOINTS, MAX_LINKS, MAX_NAME, MAX_TAGS

LINK = '<link name="l{}"/>'
JOINT = '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/>{2}</joint>'
TAGS = '<modular_dynamics version="1">{}</modular_dynamics>'


def robot(count, parent=lambda k: k - 1, more=lambda k: "", tags=""):
    links = "".join(map(LINK.format, range(count + 1)))
    joints = "".join(JOINT.format(k, parent(k), more(k)) for k in range(1, count + 1))
    return f'<robot name="r">{links}{joints}{tags}</robot>'


def tags(count, text):
    return TAGS.format("".join(map(text.format, range(1, count + 1))))


def mimic(k):
    return "" if k == 1 else f'<mimic joint="j{k - 1}"/>'


ROBOTS = {
    "chain": robot,
    "star": lambda n: robot(n, lambda k: 0),
    "fixed links": lambda n: robot(n, lambda k: 0).replace("continuous", "fixed"),
    "chained mimic joints": lambda n: robot(n, more=mimic),
    "subsystems from the last to the first": lambda n: robot(
        n, tags=TAGS.format("".join(f'<subsystem name="s{k}" root_link="l{k}"/>' for k in range(n, 0, -1)))
    ),
    "root links below each other": lambda n: robot(
        n, tags=tags(n, '<subsystem name="s{0}" root_link="l{0}"/>')
    ),
    "black boxes on fixed links": lambda n: robot(
        n, lambda k: 0, tags=tags(n, '<subsystem name="s{0}" root_link="l{0}" black_box="true"/>')
    ).replace("continuous", "fixed"),
}


@pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")  # links without mass
@pytest.mark.parametrize("of_size", ROBOTS.values(), ids=ROBOTS)
def test_four_times_the_joints_take_four_times_as_long(of_size):
    """Sixteen times as long would be the square; eight leaves room for a busy computer."""
    texts = [of_size(count) for count in (500, 2000)]
    best = []
    for text in texts:
        times = []
        for _ in range(2):
            before = process_time()
            md.load_urdf(text)
            times.append(process_time() - before)
        best.append(min(times))
    assert best[1] < 8.0 * best[0], best


LIMITS = {
    "links": (
        "".join(map(LINK.format, range(MAX_LINKS + 1))),
        f"10001 links; at most {MAX_LINKS} are accepted",
    ),
    "joints": ("<joint/>" * (MAX_JOINTS + 1), f"10001 joints; at most {MAX_JOINTS} are accepted"),
    "tags": (tags(MAX_TAGS + 1, '<passive joint="j"/>'), f"100001 elements; at most {MAX_TAGS} are accepted"),
    "attributes": (
        LINK.format(0).replace("/>", " ".join(f' a{k}=""' for k in range(MAX_ATTRIBUTES)) + "/>"),
        f"element 'link' has 201 attributes; at most {MAX_ATTRIBUTES} are accepted",
    ),
    "a name": (LINK.format("a" * MAX_NAME), f"name has 1001 characters; at most {MAX_NAME} are accepted"),
}


@pytest.mark.parametrize(("content", "message"), LIMITS.values(), ids=LIMITS)
def test_limits_are_named_where_they_are_met(content, message):
    more = "" if "<link" in content else LINK.format(0)
    with pytest.raises(md.exceptions.UrdfError, match=message):
        md.load_urdf(f'<robot name="r">{more}{content}</robot>')


SMALL = robot(1)
TEXTS = {
    "attributes of one element": SMALL.replace("/>", " ".join(f' a{k}=""' for k in range(60_000)) + "/>", 1),
    "processing instructions that do not end": f'<robot name="r"><!-- -- -->{"<?" * 100_000}</robot>',
    "newlines inside": SMALL.replace("</robot>", "\n" * 19_000_000 + "</robot>"),
    "comments": "<!---->" * 1_000_000 + SMALL,
    "comments with hyphens": SMALL.replace("</robot>", "<!-- -- -->\n" * 100_000 + "</robot>"),
    "a number": SMALL.replace("<child", f'<origin xyz="{"9" * 5_000_000}x 0 0"/><child'),
    "roots": f'<robot name="r">{"".join(map(LINK.format, range(MAX_LINKS)))}</robot>',
    "other elements": SMALL.replace(
        "</robot>", '<disable_collisions link1="a" link2="b"/>' * 60_000 + "</robot>"
    ),
}


@pytest.mark.parametrize("content", ["<a>" * 300 + "</a>" * 300, "<a>" * 100_000, "\n" * 19_000_000], ids=len)
def test_limits_of_the_xml_parser_are_named(content):
    text = f'<robot name="r"><link name="a"/>{content}</robot>'
    with pytest.raises(md.exceptions.UrdfError, match=r"too large: elements may be 256 deep .* 10,000,000"):
        md.load_urdf(text)


@pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")  # links without mass
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_large_texts_are_read_or_refused_within_seconds(text):
    """200 kB of unclosed comments took 38 s."""
    before = process_time()
    try:
        assert len(md.load_urdf(text).joints) == 1
    except md.exceptions.UrdfError as error:
        message = str(error)
        assert len(message) < 2_100  # whether a text is read is another test's matter
    assert process_time() - before < 4.0
