"""The settings of the documentation, which `make docs` builds. It imports the package as it is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import stier

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "Stier"
release = stier.__version__
extensions = [
    "listings",
    "pictures",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "attributes",
    "stub_signatures",
]
exclude_patterns = ["_extensions", "notebooks/attack_timing", "notebooks/images"]
suppress_warnings = []
if find_spec("pyspiel") is None:
    # There are no wheels of OpenSpiel for some platforms.
    exclude_patterns.append("reference/open_spiel.rst")
    suppress_warnings.append("toc.excluded")

html_theme = "furo"
html_title = f"Stier {release}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["stier.css"]

# Notebooks are shown with the output that they were committed with.
nb_execution_mode = "off"
nb_mime_priority_overrides = [("html", "text/html", 0)]

# Docstrings name things in single backticks: what is documented becomes a link, everything else is code.
default_role = "py:obj"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
