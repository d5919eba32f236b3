# The documentation as a site; packaging/site/build puts the pages where Sphinx wants them.
project = "evname"
author = "The evname authors"
copyright = "2026, The evname authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "alabaster"
# Wide enough for 120 columns of code.
html_theme_options = {"description": "PMU event names to raw codes and back", "fixed_sidebar": True, "page_width": "1280px",
                      "font_size": "16px", "code_font_size": "0.8em"}
html_extra_path = ["extra"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_show_sourcelink = False
html_copy_source = False
