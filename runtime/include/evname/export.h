#ifndef EVNAME_EXPORT_H
#define EVNAME_EXPORT_H
/* What libevname shows to those who link with it: everything else is hidden. */

#if defined(__GNUC__)
#define EVNAME_API __attribute__((visibility("default")))
#define EVNAME_HIDDEN __attribute__((visibility("hidden")))
#else
#define EVNAME_API
#define EVNAME_HIDDEN
#endif

#endif
