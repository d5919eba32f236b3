# The documentation as a site; packaging/site/build puts the pages where Sphinx wants them.
project = "evname"
author = "The evname authors"
copyright = "2026, The evname authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"description": "PMU event names to raw codes and back", "fixed_sidebar": True, "page_width": "1100px"}
html_extra_path = ["extra"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_show_sourcelink = False
