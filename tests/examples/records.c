/* Prints the threads and files of a recording as they come and go. Usage: records RECORDING */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  evname_recording* recording;
  evname_samples* samples;
  need(evname_recording_open(argc > 1 ? argv[1] : "perf.data", &recording, &error));
  need(evname_samples_open(recording, 0, &samples, &error));
  for (evname_record record; evname_records_next(samples, &record) == 1;) {
    const int size = (int)record.name_size;
    if (record.type == 3) printf("%d is named %.*s\n", record.own_tid, size, record.name);
    if (record.type == 4) printf("%d ended\n", record.own_tid);
    if (record.type == 7) printf("%d began\n", record.own_tid);
    if (record.type == 1 || record.type == 10)
      printf("%d mapped %.*s\n", record.own_pid, size, record.name);
    if (record.type == 2) printf("%lld records are lost\n", (long long)record.lost);
  }
}
