"""Settings of Sphinx for the pages that build.py gathered."""

import os

project = "Tamis"
author = "the Tamis authors"
copyright = author
version = release = os.environ["TAMIS_VERSION"]

extensions = ["myst_parser"]
# As GitHub does: `page.md#a-heading` leads to a heading.
myst_heading_anchors = 6
# Fences name notations of which the highlighter knows some.
suppress_warnings = ["misc.highlighting_failure"]
nitpicky = True

html_theme = "furo"
html_title = f"Tamis {version}"
html_copy_source = False
html_show_sphinx = False
