#!/bin/bash -eu
# The fuzz targets of tests/fuzz as OSS-Fuzz wants them in $OUT: program, seeds, dictionary. Outside of its
# container: CC=clang CXX=clang++ SRC=… WORK=… OUT=… LIB_FUZZING_ENGINE=-fsanitize=fuzzer with sanitizers in CFLAGS and CXXFLAGS;
# MESON_OPTIONS for a trial with libraries of the system (--wrap-mode=default).
source=${EVNAME_SOURCE:-$SRC/evname}
build=$WORK/evname
[ -f "$build/build.ninja" ] || meson setup "$build" "$source" --wrap-mode=forcefallback -Ddefault_library=static -Dbuildtype=plain \
  -Db_lundef=false -Db_pch=false -Dtools=false -Dfuzz=true "-Dfuzz_engine=$LIB_FUZZING_ENGINE" ${MESON_OPTIONS:-}

for target in $(cd "$source/tests/fuzz" && ls *_fuzz.cpp); do
  name=${target%_fuzz.cpp}
  ninja -C "$build" ${JOBS:+-j$JOBS} "tests/fuzz/fuzz-$name" tests/fuzz/seeds
  cp "$build/tests/fuzz/fuzz-$name" "$OUT/"
  cp "$source/tests/fuzz/dictionaries/$name.dict" "$OUT/fuzz-$name.dict"
  printf '[libfuzzer]\nmax_len = 65536\ntimeout = 10\n' > "$OUT/fuzz-$name.options"
  (cd "$build/tests/fuzz/seeds/$name" && python3 -m zipfile -c "$OUT/fuzz-${name}_seed_corpus.zip" *)
done
