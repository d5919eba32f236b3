/* Prints the names of codes. Usage: name_codes CPU PMU CONFIG…: name_codes skylakex cpu 0x20d1 */
#include <evname/evname.h>
#include <stdio.h>
#include <stdlib.h>

static evname_error error;
static void need(int status) {
  if (status != EVNAME_OK) exit(fprintf(stderr, "%s\n", error.message) > 0);
}

int main(int argc, char** argv) {
  evname_machine* machine;
  evname_names found;
  char texts[4096];
  if (argc < 4) return 2;
  need(evname_machine_open(argv[1], NULL, &machine, &error));
  for (int i = 3; i < argc; ++i) {
    const evname_code code = {.config = {strtoull(argv[i], NULL, 0)}};
    need(evname_names_of(machine, argv[2], &code, &found, texts, sizeof texts, NULL, &error));
    printf("%s: %s", argv[i], found.count == 0 ? found.terms : found.names);
    printf(found.count == 0 || found.exact ? "\n" : " with %s\n", found.qualifiers);
  }
}
