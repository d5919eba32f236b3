#ifndef EVNAME_EXPORT_H
#define EVNAME_EXPORT_H
/* Marks the symbols that libevname exports; all others are hidden. */

#if defined(__GNUC__)
#define EVNAME_API __attribute__((visibility("default")))
#define EVNAME_HIDDEN __attribute__((visibility("hidden")))
#else
#define EVNAME_API
#define EVNAME_HIDDEN
#endif

#endif
