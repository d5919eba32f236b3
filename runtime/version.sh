#!/bin/sh
# Prints the version that include/evname/version.h states.
exec awk '$1 == "#define" && $2 ~ /^EVNAME_VERSION_(MAJOR|MINOR|PATCH)$/ { printf "%s%s", dot, $3; dot = "." }
  END { print "" }' "$(dirname "$0")/include/evname/version.h"
