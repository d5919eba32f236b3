/* The stack of each sample as a line "event;comm;caller;…;function": input for flame graph tools
 * after `sort | uniq -c`. A function without a name is written as the file and the place in it.
 * Usage: stacks perf.data [KALLSYMS]. */
#include <evname/evname.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct reader {
  evname_recording* recording;
  evname_samples* samples;
  evname_symbols* symbols;
  evname_frames* frames;
};

static int fails(const evname_error* error) {
  fprintf(stderr, "%s: %s\n", error->where, error->message);
  return 1;
}

/* Writes a frame as its function or, without one, as the file that is mapped there. */
static void print_frame(const struct reader* reader, const evname_frame* frame) {
  evname_mapping mapping;
  if (frame->function[0] != '\0')
    printf(";%s", frame->function);
  else if (evname_samples_mapping(reader->samples, frame->ip,
                                  (frame->flags & EVNAME_FRAME_KERNEL) != 0, &mapping,
                                  NULL) == EVNAME_OK)
    printf(";%s+0x%" PRIx64, frame->dso, frame->ip - mapping.start + mapping.offset);
  else
    printf(";0x%" PRIx64, frame->ip);
}

static int print_stacks(const struct reader* reader, evname_error* error) {
  evname_sample sample;
  evname_recorded_event event;
  evname_frame frame;
  while (evname_samples_next(reader->samples, &sample) == 1) {
    if (evname_samples_stack(reader->samples, reader->symbols, reader->frames, error) != EVNAME_OK)
      return fails(error);
    evname_recorded_event_at(reader->recording, sample.event, &event);
    printf("%s;%s", event.name, sample.comm);
    for (size_t i = evname_frames_count(reader->frames); i-- > 0;) {
      evname_frames_at(reader->frames, i, &frame);
      print_frame(reader, &frame);
    }
    putchar('\n');
  }
  return 0;
}

int main(int argc, char** argv) {
  struct reader reader = {NULL, NULL, NULL, NULL};
  evname_symbol_options options;
  evname_error error;
  if (argc < 2 || argc > 3) return fprintf(stderr, "usage: stacks perf.data [KALLSYMS]\n"), 2;
  memset(&options, 0, sizeof options);
  options.kallsyms = argv[2];
  options.flags = EVNAME_SYMBOLS_NO_LINES;
  int result = 1;
  if (evname_recording_open(argv[1], &reader.recording, &error) != EVNAME_OK ||
      evname_symbols_new(&options, &reader.symbols, &error) != EVNAME_OK ||
      evname_frames_new(&reader.frames, &error) != EVNAME_OK ||
      evname_samples_open(reader.recording, 0, &reader.samples, &error) != EVNAME_OK)
    fails(&error);
  else
    result = print_stacks(&reader, &error);
  evname_samples_free(reader.samples);
  evname_frames_free(reader.frames);
  evname_symbols_free(reader.symbols);
  evname_recording_free(reader.recording);
  return result;
}
