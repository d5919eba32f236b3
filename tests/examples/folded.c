/* Writes folded stacks, input for flame graphs. Usage: folded RECORDING EVENT */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  const evname_annotate_options options = {.format = EVNAME_FORMAT_FOLDED};
  const evname_filter filter = {.event = argc > 2 ? argv[2] : NULL}; /* or by time, function, … */
  evname_recording* recording;
  need(evname_recording_open(argc > 1 ? argv[1] : "perf.data", &recording, &error));
  need(evname_annotate(recording, &options, &filter, 1, NULL, &error));
  evname_recording_free(recording);
}
