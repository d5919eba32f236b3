/* Prints the stack of each sample, the innermost function first. Usage: stacks RECORDING */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  evname_recording* recording;
  evname_symbols* symbols;
  evname_samples* samples;
  evname_frames* frames;
  evname_frame frame;
  need(evname_recording_open(argc > 1 ? argv[1] : "perf.data", &recording, &error));
  need(evname_symbols_new(NULL, &symbols, &error));
  need(evname_frames_new(&frames, &error));
  need(evname_samples_open(recording, 0, &samples, &error));
  for (evname_sample sample; evname_samples_next(samples, &sample) == 1;) {
    puts(sample.comm);
    need(evname_samples_stack(samples, symbols, frames, &error));
    for (size_t i = 0; evname_frames_at(frames, i, &frame) == EVNAME_OK; ++i)
      printf("  %s (%s)\n", frame.label, frame.dso);
  }
}
