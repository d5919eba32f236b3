#!/bin/bash -eu
# The fuzz targets of tests/fuzz as OSS-Fuzz wants them in $OUT: program, seeds, dictionary. Outside of its
# container: CC=clang CXX=clang++ SRC=… WORK=… OUT=… LIB_FUZZING_ENGINE=-fsanitize=fuzzer with sanitizers in CFLAGS and CXXFLAGS;
# MESON_OPTIONS for a trial with libraries of the system (--wrap-mode=default).
set -eu
source=${EVNAME_SOURCE:-$SRC/evname}
build=$WORK/evname
[ -f "$build/build.ninja" ] || meson setup "$build" "$source" --wrap-mode=forcefallback -Ddefault_library=static -Dbuildtype=plain \
  -Db_lundef=false -Dtools=false -Dfuzz=true "-Dfuzz_engine=$LIB_FUZZING_ENGINE" ${MESON_OPTIONS:-}

# Those of elfutils are left out where Meson hasn't found it.
ninja -C "$build" build.ninja
known=$(ninja -C "$build" -t targets all | sed -n 's|^tests/fuzz/fuzz-\([a-z_]*\): .*|\1|p')
ninja -C "$build" ${JOBS:+-j$JOBS} tests/fuzz/seeds $(printf 'tests/fuzz/fuzz-%s ' $known)
grep -v '^#' "$source/tests/fuzz/targets" | while read -r name seeds dictionary readers; do
  [ -f "$build/tests/fuzz/fuzz-$name" ] || continue
  cp "$build/tests/fuzz/fuzz-$name" "$OUT/"
  cp "$source/tests/fuzz/dictionaries/$dictionary.dict" "$OUT/fuzz-$name.dict"
  printf '[libfuzzer]\nmax_len = 65536\ntimeout = 10\n' > "$OUT/fuzz-$name.options"
  (cd "$build/tests/fuzz/seeds/$seeds" && python3 -m zipfile -c "$OUT/fuzz-${name}_seed_corpus.zip" *)
done
