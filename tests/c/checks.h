#ifndef CHECKS_H
#define CHECKS_H
/* Checks that go on after a failure; main returns whether there was one. */

#include <stdio.h>
#include <string.h>

static int failed_checks;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++failed_checks;                                                          \
      fprintf(stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#define CHECK_TEXT(text, expected)                                           \
  do {                                                                       \
    const char* is = (text);                                                 \
    if (strcmp(is, expected) != 0) {                                         \
      ++failed_checks;                                                       \
      fprintf(stderr, "%s:%d: %s is '%s'\n", __FILE__, __LINE__, #text, is); \
    }                                                                        \
  } while (0)

#endif
