"""The site: Sphinx builds it without a warning, no page is wider than its window, search finds.

`make docs` installs what this needs; Chromium is the machine's own.
"""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from helpers.paths import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sphinx") is None, reason="Sphinx is not installed: make docs"),
]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
#: Elements beyond the window's right edge, except inside one that scrolls by itself.
TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (e) => e && e !== document.body &&
    (["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const found = [...document.querySelectorAll("article *")].filter(
    (e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement));
  return [document.documentElement.scrollWidth - width, ...found.slice(0, 3).map((e) => e.outerHTML.slice(0, 99))];
}"""  # noqa: E501  # JavaScript


@pytest.fixture(scope="module")
def site():
    """The folder of the pages; made in seconds after `make docs`."""
    folder = ROOT / "out/docs"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_every_page_is_in_a_table_of_contents(site):
    sources = [path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")]
    pages = {page.as_posix() for page in sources if page.parts[0] != "generated"} - {"index"}
    linked = set(re.findall(r'href="([\w/]+)\.html"', (site / "genindex.html").read_text("utf-8")))
    assert pages - linked == set()


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None or find_spec("playwright") is None:
        pytest.skip("Chromium or playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        yield opened
        opened.close()


@pytest.mark.parametrize(
    "words", ["RNEA", "CRBA", "ABA", "gravity compensation", "feedforward", "payload", "inverse_dynamics"]
)
def test_search_finds(site, browser, words):
    page = browser.new_page()
    page.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    page.wait_for_selector("#search-results li", timeout=20_000)
    page.close()


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_its_window(site, browser, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    faults = {}
    page.on("pageerror", lambda error: faults.setdefault(page.url, str(error)))
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if not name.startswith("_"):
            page.goto(path.as_uri(), wait_until="load")
            seen = page.evaluate(TOO_WIDE)
            if seen[0] > 1 or len(seen) > 1:
                faults[name] = seen
    page.close()
    assert faults == {}
