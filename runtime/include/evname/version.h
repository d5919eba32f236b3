#ifndef EVNAME_VERSION_H
#define EVNAME_VERSION_H
/** @file
 * The version of evname. It is stated only here: the build, the command, its manual pages and the
 * packages read it.
 *
 * The soname of the library is the first number. CONTRIBUTING.md says what each stands for.
 */

/** Version of this header: changes with the soname. */
#define EVNAME_VERSION_MAJOR 0
/** Version of this header: increases when something is added. */
#define EVNAME_VERSION_MINOR 2
/** Version of this header: increases with other releases. */
#define EVNAME_VERSION_PATCH 0

/** @cond */
#define EVNAME_TEXT_OF_(number) #number
#define EVNAME_TEXT_OF(number) EVNAME_TEXT_OF_(number)
/** @endcond */
/** The version of this header as text. */
#define EVNAME_VERSION                 \
  EVNAME_TEXT_OF(EVNAME_VERSION_MAJOR) \
  "." EVNAME_TEXT_OF(EVNAME_VERSION_MINOR) "." EVNAME_TEXT_OF(EVNAME_VERSION_PATCH)

#endif
