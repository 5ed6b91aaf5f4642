"""The site: MyST pages, the API by autodoc, examples/ by sphinx-gallery. `make docs`: out/docs/."""

import builtins
import sys
from pathlib import Path

from sphinx.application import Sphinx

import modular_dynamics

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import docstrings  # noqa: E402  # beside this file, as articles
from articles import with_links, write_articles  # noqa: E402

project = "modular_dynamics"
author = "modular_dynamics maintainers"
version = release = modular_dynamics.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "sphinxcontrib.katex",
    "sphinx_copybutton",
]
exclude_patterns = ["generated/**"]  # pages include what commands write into generated/
templates_path: list[str] = []
nitpicky = False

# ---- pages -------------------------------------------------------------------------------------------------
myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4  # links to headings as GitHub writes them
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"

# ---- the API -----------------------------------------------------------------------------------------------
autodoc_typehints = (
    "none"  # the signature of a function would fill a screen; shapes and units stand in the docstring
)
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
add_module_names = False
default_role = "py:obj"  # `name` in a docstring is a link where there is such a function or class
suppress_warnings = [
    "config.cache",  # set_file_name is a function, which makes no difference to the pages
    "sphinx_gallery.space_in_filename",  # of the checkout's folder; no link has it
]
napoleon_google_docstring = True
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_attr_annotations = False

# ---- examples ----------------------------------------------------------------------------------------------


def set_file_name(_conf: dict[str, object], name: str) -> None:
    """Give examples the name __file__, which sphinx-gallery leaves out: they find their robots by it."""
    builtins.__file__ = str(ROOT / "examples" / Path(name).name)  # type: ignore[attr-defined]


sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"(nodes|demo|ros2_control|cpp)[/\\]",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "reset_modules": (set_file_name, "matplotlib"),
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
}

# ---- HTML --------------------------------------------------------------------------------------------------
html_theme = "furo"
html_title = "modular_dynamics"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
html_show_copyright = False
# MathML, which browsers draw themselves: the site needs neither fonts nor style sheets from elsewhere.
katex_css_path = "katex-math.css"
katex_options = 'output: "mathml", throwOnError: true'
linkcheck_ignore = [r"https?://.*"]  # other people's pages change without us
copybutton_exclude = ".linenos, .gp, .go"


def setup(app: Sphinx) -> None:
    """Write the pages that stand elsewhere in the repository; lead links to them there; read docstrings."""
    write_articles()
    docstrings.connect(app)
    app.connect("source-read", lead_links)


def lead_links(_app: Sphinx, page: str, content: list[str]) -> None:
    """Turn links into the repository to links within the site."""
    source = ROOT / "docs" / f"{page}.md"
    if source.exists():
        content[0] = with_links(source, source.parent, content[0])
