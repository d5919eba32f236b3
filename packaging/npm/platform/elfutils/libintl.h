// Messages are in English.
#pragma once
#define dgettext(domain, text) ((char*)(text))
#define gettext(text) ((char*)(text))
