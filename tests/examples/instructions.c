/* Prints the instructions with samples of the first event. Usage: instructions RECORDING */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  evname_recording* recording;
  evname_instruction_report* report;
  evname_function of;
  evname_instructions* code;
  need(evname_recording_open(argc > 1 ? argv[1] : "perf.data", &recording, &error));
  need(evname_instruction_report_new(NULL, NULL, &report, &error));
  need(evname_instruction_report_add(report, recording, NULL, &error));
  for (size_t f = 0; evname_instruction_report_function_at(report, f, &of) == EVNAME_OK; ++f) {
    need(evname_instructions_new(report, f, 0, &code, &error));
    evname_instruction one;
    for (size_t i = 0; evname_instructions_at(code, i, &one) == EVNAME_OK; ++i)
      if (one.samples[0] > 0)
        printf("%s: %d at 0x%zx %s\n", of.name, (int)one.samples[0], (size_t)one.address, one.text);
    evname_instructions_free(code);
  }
}
