#!/bin/bash -eu
# The fuzz targets of tests/fuzz as OSS-Fuzz wants them in $OUT: program, seeds, dictionary. Outside of its
# container: CC=clang CXX=clang++ SRC=… WORK=… OUT=… LIB_FUZZING_ENGINE=-fsanitize=fuzzer with sanitizers in CFLAGS and CXXFLAGS;
# MESON_OPTIONS for a trial with libraries of the system (--wrap-mode=default).
set -eu
source=${EVNAME_SOURCE:-$SRC/evname}
build=$WORK/evname
[ -f "$build/build.ninja" ] || meson setup "$build" "$source" --wrap-mode=forcefallback -Ddefault_library=static -Dbuildtype=plain \
  -Db_lundef=false -Dtools=false -Dfuzz=true "-Dfuzz_engine=$LIB_FUZZING_ENGINE" ${MESON_OPTIONS:-}

ninja -C "$build" ${JOBS:+-j$JOBS} tests/fuzz/seeds tests/fuzz/fuzz-targets
# It lists its targets, since it knows none of the name that it has here; targets of elfutils only if Meson has found that.
known=$("$build/tests/fuzz/fuzz-targets" 2>&1 | sed -n 's/^  \([a-z_0-9]*\)$/\1/p')
grep -v '^#' "$source/tests/fuzz/targets" | while read -r name seeds dictionary readers; do
  echo "$known" | grep -qx "$name" || continue
  cp "$build/tests/fuzz/fuzz-targets" "$OUT/fuzz-$name"
  cp "$source/tests/fuzz/dictionaries/$dictionary.dict" "$OUT/fuzz-$name.dict"
  printf '[libfuzzer]\nmax_len = 65536\ntimeout = 10\n' > "$OUT/fuzz-$name.options"
  (cd "$build/tests/fuzz/seeds/$seeds" && python3 -m zipfile -c "$OUT/fuzz-${name}_seed_corpus.zip" *)
done
