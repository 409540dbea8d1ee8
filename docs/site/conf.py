"""Sphinx's settings for the pages that scripts/site puts together."""

import inspect
import pathlib
import re

from sphinx.util import logging

import trisweep

project = "Trisweep"
author = "the Trisweep authors"
version = release = trisweep.__version__

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "index"
html_theme = "furo"
html_title = f"Trisweep {version}"
html_show_copyright = False
html_static_path = html_css_files = ["site.css"]
highlight_language = "none"  # blocks without a language are what programs print
myst_heading_anchors = 4  # the anchors that our Markdown links to
breathe_projects = {"trisweep": "doxygen/xml"}
breathe_default_project = "trisweep"
breathe_default_members = ("members",)
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_mock_imports = ["petsc4py", "torch", "jax"]  # not installed with the package
suppress_warnings = ["duplicate_declaration.cpp"]  # namespaces, by every header that has a part of them


def require_docstring(_app, kind, name, entity, _options, lines):
    """A warning ends the build: what the reference names says what it does, takes and raises."""
    text = "\n".join(lines)
    lacks = [] if text.strip() else ["docstring"]
    if kind in ("function", "method"):
        parameters = set(inspect.signature(entity).parameters) - {"self"}
        lacks += [f"word on {parameter}" for parameter in parameters if not re.search(rf"\b{parameter}\b", text)]
        if parameters and "Raises" not in text:
            lacks.append("word on errors")
    for lack in lacks:
        logging.getLogger(__name__).warning("%s %s has no %s", kind, name, lack)


def help_assistive_technology(app, error):
    """What the theme leaves out: levels of the contents' captions, names of landmarks, blocks that scroll by keyboard."""
    for page in [] if error else pathlib.Path(app.outdir).rglob("*.html"):
        text = page.read_text()
        for before, after in (('role="heading">', 'role="heading" aria-level="2">'), ("<pre>", '<pre tabindex="0">'),
                              ("<p><img", '<p tabindex="0"><img'),
                              ('<aside class="sidebar', '<aside aria-label="Pages" class="sidebar'),
                              ('<aside class="toc', '<aside aria-label="On this page" class="toc'),
                              ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')):
            text = text.replace(before, after)
        page.write_text(text)


def setup(app):
    """Called by Sphinx."""
    app.connect("build-finished", help_assistive_technology)
    app.connect("autodoc-process-docstring", require_docstring)
