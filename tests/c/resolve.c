/* Names to codes and back, as a C program. Codes: Intel SDM, volume 3 (D1H/20H, C4H/00H); Arm
 * architecture reference manual (0x11 CPU_CYCLES); numbers of enum perf_hw_id. */

#define _POSIX_C_SOURCE 200809L
#include <evname/evname.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "checks.h"

static evname_machine* machine_of(const char* cpu) {
  evname_error error;
  evname_machine* machine;
  if (evname_machine_open(cpu, NULL, &machine, &error) == EVNAME_OK) return machine;
  fprintf(stderr, "%s: %s\n", cpu, error.message);
  exit(2);
}

static void errors_are_words_for_people(const evname_machine* machine) {
  evname_error error;
  evname_attr attr;
  size_t count = 7;
  char text[2000], little[10] = "xxxxxxxxx";
  CHECK(evname_resolve(machine, "cycles,mem_load_retired.l3_mis", &attr, 1, &count, &error) ==
        EVNAME_NOT_FOUND);
  CHECK(count == 0);
  CHECK(error.status == EVNAME_NOT_FOUND);
  CHECK(error.offset == 7);
  CHECK_TEXT(error.message, "no event 'mem_load_retired.l3_mis' on skylakex");
  CHECK(strstr(error.hint, "mem_load_retired.l3_miss") != NULL);
  CHECK(evname_error_text(&error, text, sizeof text) == strlen(text));
  CHECK(strstr(text, ": no event 'mem_load_retired.l3_mis' on skylakex (did you mean ") != NULL);
  CHECK(evname_error_text(&error, little, sizeof little) == strlen(text));
  CHECK_TEXT(little, "event tex");
  CHECK(evname_error_text(&error, NULL, 0) == strlen(text));
  strcpy(error.where, "\x80\x80\x80"); /* each continues a character, none begins one */
  error.message[0] = error.hint[0] = '\0';
  CHECK(evname_error_text(&error, little, 2) == 5);
  CHECK_TEXT(little, "");
  CHECK(evname_resolve(machine, "cycles:q", &attr, 1, &count, NULL) == EVNAME_INVALID_ARGUMENT);
  CHECK_TEXT(evname_status_text(EVNAME_NOT_FOUND), "not found");
  CHECK_TEXT(evname_status_text(EVNAME_INTERNAL), "internal error");
  CHECK_TEXT(evname_status_text(-1), "unknown status");
  CHECK_TEXT(evname_status_text(99), "unknown status");
}

static void short_names_mean_models_in_any_case(void) {
  static const char* const kNames[][2] = {
      {"SKX", "skylakex"}, {"zen4", "amdzen4"}, {"n1", "arm/neoverse-n1"}};
  for (size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    evname_machine* machine = machine_of(kNames[i][0]);
    evname_cpu cpu;
    evname_machine_cpu(machine, &cpu);
    CHECK_TEXT(cpu.model, kNames[i][1]);
    evname_machine_free(machine);
  }
}

static void machines_that_do_not_exist_are_errors(void) {
  evname_error error;
  evname_machine* machine = (evname_machine*)&error;
  CHECK(evname_machine_open("skylakey", NULL, &machine, &error) == EVNAME_NOT_FOUND);
  CHECK(machine == NULL);
  CHECK(strstr(error.hint, "skylakex") != NULL);
  CHECK(error.offset == EVNAME_NO_OFFSET);
  CHECK(evname_machine_recorded("/no/such/file", &machine, &error) == EVNAME_NOT_FOUND);
  const evname_machine_options nowhere = {.sysfs = "/no/such/tree"};
  CHECK(evname_machine_open("skylakex", &nowhere, &machine, NULL) != EVNAME_OK);
  CHECK(machine == NULL);
  evname_machine_free(NULL);
}

static void event_files_of_the_user_can_be_left_out(void) {
  evname_error error;
  evname_machine* machine;
  evname_recording* recording;
  evname_event_directory laid;
  evname_machine_options options = {.flags = EVNAME_NO_USER_EVENTS};
  CHECK(evname_machine_open("skylakex", &options, &machine, &error) == EVNAME_OK);
  CHECK(evname_event_directory_count(machine) == 0);
  CHECK(evname_event_directory_at(machine, 0, &laid) == EVNAME_OUT_OF_RANGE);
  CHECK_TEXT(laid.directory, "");
  evname_machine_free(machine);
  options.flags = 2;
  CHECK(evname_machine_open("skylakex", &options, &machine, &error) == EVNAME_INVALID_ARGUMENT);
  CHECK(machine == NULL);
  options = (evname_machine_options){.events = "/no/such/tree"};
  CHECK(evname_machine_open("skylakex", &options, &machine, &error) == EVNAME_NOT_FOUND);
  CHECK(evname_recording_open_with("/no/such/file", EVNAME_NO_USER_EVENTS, &recording, &error) ==
        EVNAME_NOT_FOUND);
  CHECK(evname_recording_open_with("/no/such/file", 2, &recording, &error) ==
        EVNAME_INVALID_ARGUMENT);
}

static void one_name_is_one_attr_or_several(const evname_machine* machine) {
  evname_attr attrs[2];
  size_t count;
  CHECK(evname_resolve(machine, "MEM_LOAD_RETIRED.L3_MISS", attrs, 2, &count, NULL) == EVNAME_OK);
  CHECK(count == 1);
  CHECK(attrs[0].code.config[0] == 0x20d1);
  CHECK(attrs[0].period == 100007);
  CHECK(attrs[0].code.type == PERF_TYPE_RAW && attrs[0].code.has_type);
  CHECK(attrs[0].flags == 0);
  CHECK(attrs[0].precise_ip == 0);
  CHECK_TEXT(attrs[0].pmu, "cpu");
  attrs[1].code.config[0] = 0xabc;
  CHECK(evname_resolve(machine, "cycles,instructions,branches", attrs, 1, &count, NULL) ==
        EVNAME_OK);
  CHECK(count == 3);
  CHECK_TEXT(attrs[0].pmu, "hardware");
  CHECK(attrs[1].code.config[0] == 0xabc);
  CHECK(evname_resolve(machine, "cycles", NULL, 0, &count, NULL) == EVNAME_OK);
  CHECK(count == 1);
}

static void many_names_are_many_attrs(const evname_machine* machine) {
  const char* const text = "cycles,instructions,branches,branch-misses,page-faults,cpu-clock";
  const uint64_t configs[] = {PERF_COUNT_HW_CPU_CYCLES,          PERF_COUNT_HW_INSTRUCTIONS,
                              PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
                              PERF_COUNT_SW_PAGE_FAULTS,         PERF_COUNT_SW_CPU_CLOCK};
  evname_attr attrs[7];
  size_t count;
  for (size_t room = 0; room <= 7; ++room) {
    for (size_t i = 0; i < 7; ++i) attrs[i].code.config[0] = 0xabc;
    CHECK(evname_resolve(machine, text, attrs, room, &count, NULL) == EVNAME_OK);
    CHECK(count == 6);
    for (size_t i = 0; i < 7; ++i)
      CHECK(attrs[i].code.config[0] == (i < room && i < 6 ? configs[i] : 0xabc));
  }
}

static void groups_have_leaders(const evname_machine* machine) {
  evname_attr attrs[3];
  size_t count;
  CHECK(evname_resolve(machine, "page-faults,{cycles,instructions}:u", attrs, 3, &count, NULL) ==
        0);
  CHECK(count == 3);
  CHECK(attrs[0].leader == 0);
  CHECK(attrs[1].leader == 1);
  CHECK(attrs[2].leader == 1);
  CHECK(attrs[2].code.config[0] == PERF_COUNT_HW_INSTRUCTIONS);
  CHECK(attrs[0].flags == 0);
  CHECK((attrs[2].flags & EVNAME_ATTR_EXCLUDE_KERNEL) != 0);
}

static void a_batch_has_an_error_for_each(const evname_machine* machine) {
  const char* const texts[] = {"br_inst_retired.all_branches", "nonsense", "cycles,instructions",
                               "cpu/x=1/"};
  evname_attr attrs[2];
  evname_answer answers[4];
  evname_error errors[4];
  size_t total;
  CHECK(evname_resolve_batch(machine, texts, 4, attrs, 2, &total, answers, errors) ==
        EVNAME_NOT_FOUND);
  CHECK(total == 3);
  CHECK(answers[0].status == EVNAME_OK && answers[0].first == 0 && answers[0].count == 1);
  CHECK(answers[1].status == EVNAME_NOT_FOUND && answers[1].first == 1 && answers[1].count == 0);
  CHECK(answers[2].status == EVNAME_OK && answers[2].first == 1 && answers[2].count == 2);
  CHECK(answers[3].status == EVNAME_INVALID_ARGUMENT || answers[3].status == EVNAME_NOT_FOUND);
  CHECK(attrs[0].code.config[0] == 0xc4);
  CHECK(attrs[1].code.config[0] == PERF_COUNT_HW_CPU_CYCLES);
  CHECK(errors[0].status == EVNAME_OK && errors[2].status == EVNAME_OK);
  CHECK(strstr(errors[1].message, "nonsense") != NULL);
  CHECK(errors[3].status == answers[3].status);
  CHECK(evname_resolve_batch(machine, texts, 1, NULL, 0, &total, answers, NULL) == EVNAME_OK);
  CHECK(total == 1);
}

static evname_attr attr_of(const evname_machine* machine, const char* text) {
  evname_attr attr;
  size_t count;
  evname_error error;
  memset(&attr, 0, sizeof attr);
  if (evname_resolve(machine, text, &attr, 1, &count, &error) != EVNAME_OK)
    fprintf(stderr, "%s: %s\n", text, error.message);
  return attr;
}

/* Beside what the kernel's own header makes of the bits. */
static void only_what_is_asked_for_is_filled_in(const evname_machine* machine) {
  const evname_attr plain = attr_of(machine, "mem_load_retired.l3_miss");
  const evname_attr user = attr_of(machine, "mem_load_retired.l3_miss:uppD");
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.sample_period = 4711;
  attr.disabled = 1;
  attr.inherit = 1;
  attr.exclude_hv = 1;
  CHECK(evname_attr_fill(&plain, &attr, sizeof attr, NULL) == EVNAME_OK);
  CHECK(attr.type == PERF_TYPE_RAW && attr.config == 0x20d1 && attr.size == sizeof attr);
  CHECK(attr.sample_period == 4711 && attr.disabled && attr.inherit && attr.exclude_hv);
  CHECK(!attr.exclude_user && !attr.exclude_kernel && !attr.exclude_guest && !attr.pinned);
  CHECK(attr.precise_ip == 0);
  CHECK(evname_attr_fill(&user, &attr, sizeof attr, NULL) == EVNAME_OK);
  CHECK(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv && attr.pinned);
  CHECK(attr.precise_ip == 2);
  CHECK(attr.sample_period == 4711 && attr.disabled && attr.inherit);
}

static void every_modifier_has_its_bit(const evname_machine* machine) {
  struct perf_event_attr attr;
  evname_attr event = attr_of(machine, "inst_retired.any:GHkhIe");
  memset(&attr, 0, sizeof attr);
  CHECK(evname_attr_fill(&event, &attr, sizeof attr, NULL) == EVNAME_OK);
  CHECK(attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv && attr.exclude_idle);
  CHECK(attr.exclusive && !attr.pinned);
  CHECK(!attr.exclude_host && !attr.exclude_guest);
  event = attr_of(machine, "inst_retired.any:G");
  memset(&attr, 0, sizeof attr);
  CHECK(evname_attr_fill(&event, &attr, sizeof attr, NULL) == EVNAME_OK);
  CHECK(attr.exclude_host && !attr.exclude_guest);
}

/* aux_action is at 116 in struct perf_event_attr; the header here may be too old to have it. */
static void aux_action(const evname_machine* machine) {
  evname_attr event = attr_of(machine, "mem_load_retired.l3_miss");
  union {
    uint64_t words[17];
    unsigned char bytes[136];
  } attr;
  uint32_t action;
  memset(&attr, 0, sizeof attr);
  CHECK(event.aux_action == 0);
  event.aux_action = 2;
  CHECK(evname_attr_fill(&event, &attr, sizeof attr, NULL) == EVNAME_OK);
  memcpy(&action, attr.bytes + 116, sizeof action);
  CHECK(action == 2);
  CHECK(evname_attr_fill(&event, &attr, 112, NULL) == EVNAME_OUT_OF_RANGE);
}

static void breakpoints_and_small_structs(const evname_machine* machine) {
  const evname_attr point = attr_of(machine, "mem:0x1234:w");
  const evname_attr offcore = attr_of(machine, "offcore_response.demand_data_rd.any_response");
  struct perf_event_attr attr;
  evname_error error;
  memset(&attr, 0, sizeof attr);
  CHECK(evname_attr_fill(&point, &attr, sizeof attr, NULL) == EVNAME_OK);
  CHECK(attr.type == PERF_TYPE_BREAKPOINT && attr.bp_type == 2 && attr.bp_addr == 0x1234);
  CHECK(attr.bp_len == 4);
  memset(&attr, 0, sizeof attr);
  CHECK(evname_attr_fill(&point, &attr, PERF_ATTR_SIZE_VER0, &error) == EVNAME_OUT_OF_RANGE);
  CHECK(strstr(error.message, "config2") != NULL);
  CHECK(attr.type == 0 && attr.bp_addr == 0);
  CHECK(evname_attr_fill(&offcore, &attr, PERF_ATTR_SIZE_VER0, NULL) == EVNAME_OK);
  CHECK(attr.config == 0x1b7 && attr.config1 == 0x10001 && attr.size == PERF_ATTR_SIZE_VER0);
  CHECK(evname_attr_fill(&offcore, &attr, 63, NULL) == EVNAME_OUT_OF_RANGE);
}

static void a_type_that_only_the_machine_knows(void) {
  evname_machine* machine = machine_of("0x00000000410fd0c0");
  const evname_attr event = attr_of(machine, "cpu_cycles");
  struct perf_event_attr attr;
  evname_cpu cpu;
  CHECK(event.code.config[0] == 0x11 && !event.code.has_type);
  memset(&attr, 0, sizeof attr);
  CHECK(evname_attr_fill(&event, &attr, sizeof attr, NULL) == EVNAME_NOT_FOUND);
  CHECK(attr.config == 0);
  evname_machine_cpu(machine, &cpu);
  CHECK_TEXT(cpu.arch, "arm64");
  CHECK_TEXT(cpu.model, "arm/neoverse-n1");
  CHECK_TEXT(cpu.note, "");
  CHECK(cpu.matched_by == EVNAME_MATCHED_BY_CPUID);
  evname_machine_free(machine);
}

static void codes_have_names(const evname_machine* machine) {
  evname_code code;
  evname_names names;
  char buffer[4000];
  size_t needed;
  memset(&code, 0, sizeof code);
  code.type = PERF_TYPE_RAW;
  code.has_type = 1;
  code.config[0] = 0x20d1;
  CHECK_TEXT(evname_exact_name(machine, NULL, &code), "mem_load_retired.l3_miss");
  CHECK(evname_names_of(machine, NULL, &code, &names, buffer, sizeof buffer, &needed, NULL) ==
        EVNAME_OK);
  CHECK(names.count >= 1 && names.exact == 1);
  CHECK_TEXT(names.names, "mem_load_retired.l3_miss");
  CHECK_TEXT(names.terms, "event=0xd1,umask=0x20");
  CHECK_TEXT(names.pmu, "cpu");
  CHECK_TEXT(names.qualifiers, "");
  CHECK(evname_names_of(machine, NULL, &code, &names, buffer, needed, NULL, NULL) == EVNAME_OK);
  CHECK_TEXT(names.names, "mem_load_retired.l3_miss");
  buffer[0] = '?';
  CHECK(evname_names_of(machine, NULL, &code, &names, buffer, needed - 1, NULL, NULL) == EVNAME_OK);
  CHECK(names.count >= 1 && buffer[0] == '?');
  CHECK_TEXT(names.names, "");
  code.config[0] = 0xc4 | 1ull << 23; /* inv */
  CHECK_TEXT(evname_exact_name(machine, NULL, &code), "");
  code.type = 99;
  CHECK(evname_names_of(machine, "cpu", &code, &names, buffer, sizeof buffer, NULL, NULL) ==
        EVNAME_OK);
  CHECK_TEXT(names.names, "br_inst_retired.all_branches");
  CHECK_TEXT(names.qualifiers, "inv=1");
  CHECK(names.exact == 0);
}

/* A directory of one's own: a CPU that the build does not know, and one more event of a known. */
static void events_of_a_directory(const evname_machine* skylakex) {
  char directory[] = "/tmp/evname-test-XXXXXX", path[64];
  evname_machine* machine;
  evname_attr attr;
  evname_error error;
  size_t count;
  FILE* file;
  CHECK(mkdtemp(directory) != NULL);
  CHECK(evname_machine_with_events(skylakex, directory, &machine, &error) == EVNAME_NOT_FOUND);
  snprintf(path, sizeof path, "%s/my.json", directory);
  file = fopen(path, "w");
  fputs("[{\"EventName\":\"MY.EVENT\",\"EventCode\":\"0x33\"}]", file);
  fclose(file);
  CHECK(evname_machine_with_events(skylakex, directory, &machine, NULL) == EVNAME_OK);
  CHECK(evname_resolve(machine, "my.event", &attr, 1, &count, NULL) == EVNAME_OK);
  CHECK(attr.code.config[0] == 0x33);
  evname_machine_free(machine);
  CHECK(evname_resolve(skylakex, "my.event", &attr, 1, &count, NULL) == EVNAME_NOT_FOUND);
  const evname_machine_options options = {.events = directory};
  CHECK(evname_machine_open("GenuineIntel-6-FE-1", &options, &machine, NULL) == EVNAME_OK);
  CHECK(evname_resolve(machine, "my.event", &attr, 1, &count, NULL) == EVNAME_OK);
  CHECK(attr.code.config[0] == 0x33);
  evname_machine_free(machine);
  remove(path);
  remove(directory);
}

int main(void) {
  evname_machine* machine = machine_of("skylakex");
  errors_are_words_for_people(machine);
  short_names_mean_models_in_any_case();
  machines_that_do_not_exist_are_errors();
  event_files_of_the_user_can_be_left_out();
  one_name_is_one_attr_or_several(machine);
  many_names_are_many_attrs(machine);
  groups_have_leaders(machine);
  a_batch_has_an_error_for_each(machine);
  only_what_is_asked_for_is_filled_in(machine);
  every_modifier_has_its_bit(machine);
  aux_action(machine);
  breakpoints_and_small_structs(machine);
  a_type_that_only_the_machine_knows();
  codes_have_names(machine);
  events_of_a_directory(machine);
  evname_machine_free(machine);
  return failed_checks != 0;
}
