/* Prints what a libpfm.so.4 says, so that two of them can be compared. It is compiled with
 * libpfm4's own header. Arguments: the library, then one of pmus                 all PMUs events
 * PMU-NUMBER…   their events and attributes, and what these are encoded to, for each interface
 *   encode TEXT…         what texts are encoded to
 *   mistakes             what is returned for arguments that are wrong
 * and, as first option, "-n": no descriptions. */
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

#define PFM_FUNCTIONS(F)       \
  F(pfm_initialize)            \
  F(pfm_terminate)             \
  F(pfm_strerror)              \
  F(pfm_get_version)           \
  F(pfm_get_pmu_info)          \
  F(pfm_get_event_next)        \
  F(pfm_find_event)            \
  F(pfm_get_event_info)        \
  F(pfm_get_os_event_encoding) \
  F(pfm_get_event_attr_info)   \
  F(pfm_pmu_validate)          \
  F(pfm_get_event_encoding)    \
  F(pfm_get_perf_event_encoding)

#define F(name) static __typeof__(name)* do_##name;
PFM_FUNCTIONS(F)
#undef F

static void load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
#define F(name)                                         \
  do_##name = (__typeof__(name)*)dlsym(library, #name); \
  if (!do_##name) {                                     \
    fprintf(stderr, "%s has no %s\n", path, #name);     \
    exit(2);                                            \
  }
  PFM_FUNCTIONS(F)
#undef F
}

static const char* or_none(const char* text) { return text ? text : "-"; }

static void show_pmus(void) {
  for (int i = -1; i < 1100; i++) {
    pfm_pmu_info_t info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    int ret = do_pfm_get_pmu_info((pfm_pmu_t)i, &info);
    if (ret == PFM_ERR_INVAL && i > 0) continue;
    printf("pmu %d %d", i, ret);
    if (ret == PFM_SUCCESS)
      printf(
          " %s id=%d type=%d events=%d first=%#x words=%d counters=%d fixed=%d present=%d "
          "default=%d desc=%s",
          info.name, info.pmu, info.type, info.nevents, info.first_event, info.max_encoding,
          info.num_cntrs, info.num_fixed_cntrs, info.is_present, info.is_dfl, info.desc);
    printf("\n");
  }
}

static void show_encoding(const char* text) {
  uint64_t codes[8] = {0};
  char* name = NULL;
  pfm_pmu_encode_arg_t raw;
  memset(&raw, 0, sizeof raw);
  raw.size = sizeof raw;
  raw.codes = codes;
  raw.count = 8;
  raw.fstr = &name;
  int ret = do_pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &raw);
  printf("  raw %s %d", text, ret);
  if (ret == PFM_SUCCESS) {
    for (int i = 0; i < raw.count; i++) printf(" %#llx", (unsigned long long)codes[i]);
    printf(" idx=%#x %s", raw.idx, or_none(name));
    free(name);
  }
  printf("\n");
  for (int os = PFM_OS_PERF_EVENT; os <= PFM_OS_PERF_EVENT_EXT; os++) {
    struct perf_event_attr attr;
    pfm_perf_encode_arg_t arg;
    memset(&attr, 0, sizeof attr);
    memset(&arg, 0, sizeof arg);
    attr.size = sizeof attr;
    arg.size = sizeof arg;
    arg.attr = &attr;
    name = NULL;
    arg.fstr = &name;
    ret = do_pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, (pfm_os_t)os, &arg);
    printf("  os%d %s %d", os, text, ret);
    if (ret == PFM_SUCCESS) {
      printf(
          " type=%u config=%#llx,%#llx,%#llx period=%llu freq=%d u=%d k=%d h=%d g=%d host=%d "
          "precise=%d pinned=%d excl=%d"
          " idx=%#x cpu=%d %s",
          attr.type, (unsigned long long)attr.config, (unsigned long long)attr.config1,
          (unsigned long long)attr.config2, (unsigned long long)attr.sample_period, attr.freq,
          attr.exclude_user, attr.exclude_kernel, attr.exclude_hv, attr.exclude_guest,
          attr.exclude_host, attr.precise_ip, attr.pinned, attr.exclusive, arg.idx, arg.cpu,
          or_none(name));
      free(name);
    }
    printf("\n");
  }
  printf("  find %s %#x\n", text, do_pfm_find_event(text));
}

static void show_events(int pmu, int with_texts) {
  pfm_pmu_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  if (do_pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS) return;
  for (int e = info.first_event; e != -1; e = do_pfm_get_event_next(e)) {
    pfm_event_info_t event;
    for (int os = 0; os < PFM_OS_MAX; os++) {
      memset(&event, 0, sizeof event);
      event.size = sizeof event;
      int ret = do_pfm_get_event_info(e, (pfm_os_t)os, &event);
      printf("event %#x os%d %d", e, os, ret);
      if (ret == PFM_SUCCESS)
        printf(
            " %s::%s equiv=%s code=%#llx pmu=%d dtype=%d idx=%#x attrs=%d precise=%d spec=%d hw=%d "
            "size=%zu%s%s",
            info.name, event.name, or_none(event.equiv), (unsigned long long)event.code, event.pmu,
            event.dtype, event.idx, event.nattrs, event.is_precise, event.is_speculative,
            event.support_hw_smpl, event.size, with_texts ? " desc=" : "",
            with_texts ? event.desc : "");
      printf("\n");
      if (ret != PFM_SUCCESS) continue;
      for (int a = 0; a <= event.nattrs; a++) {
        pfm_event_attr_info_t attr;
        memset(&attr, 0, sizeof attr);
        attr.size = sizeof attr;
        ret = do_pfm_get_event_attr_info(e, a, (pfm_os_t)os, &attr);
        printf("  attr %#x.%d os%d %d", e, a, os, ret);
        unsigned flags; /* older headers don't name all of them */
        memcpy(&flags, (char*)&attr.ctrl + sizeof attr.ctrl, sizeof flags);
        if (ret == PFM_SUCCESS)
          printf(
              " %s:%s equiv=%s code=%#llx type=%d idx=%d ctrl=%d flags=%#x val=%llu size=%zu%s%s",
              event.name, attr.name, or_none(attr.equiv), (unsigned long long)attr.code, attr.type,
              attr.idx, attr.ctrl, flags, (unsigned long long)attr.dfl_val64, attr.size,
              with_texts ? " desc=" : "", with_texts ? attr.desc : "");
        printf("\n");
        if (os == 0 && ret == PFM_SUCCESS && attr.type == PFM_ATTR_UMASK) {
          char text[512];
          snprintf(text, sizeof text, "%s::%s:%s", info.name, event.name, attr.name);
          show_encoding(text);
        }
      }
    }
    char text[512];
    snprintf(text, sizeof text, "%s::%s", info.name, event.name);
    show_encoding(text);
  }
}

static void show(const char* what, int ret) {
  printf("%s: %d (%s)\n", what, ret, do_pfm_strerror(ret));
}

/* Wrong arguments that libpfm4 answers with an error; abi.cpp has the arguments that crash it. */
static void show_mistakes(void) {
  struct perf_event_attr attr;
  pfm_perf_encode_arg_t perf;
  pfm_pmu_encode_arg_t raw;
  pfm_pmu_info_t pmu;
  pfm_event_info_t event;
  pfm_event_attr_info_t attribute;
  uint64_t code = 0, *codes = NULL;
  int count = 0, number = 0;
  memset(&attr, 0, sizeof attr);
  memset(&perf, 0, sizeof perf);
  memset(&raw, 0, sizeof raw);
  memset(&pmu, 0, sizeof pmu);
  memset(&event, 0, sizeof event);
  memset(&attribute, 0, sizeof attribute);
  for (int turn = 0; turn < 3; turn++) {
    printf("turn %d\n", turn);
    if (turn == 1) show("initialize", do_pfm_initialize());
    if (turn == 2) do_pfm_terminate();
    perf.attr = &attr;
    show("encode null", do_pfm_get_os_event_encoding(NULL, 0, PFM_OS_NONE, &raw));
    show("encode no argument", do_pfm_get_os_event_encoding("CYCLES", 0, PFM_OS_NONE, NULL));
    show("levels", do_pfm_get_os_event_encoding("CYCLES", 0x20, PFM_OS_PERF_EVENT, &perf));
    show("levels -1", do_pfm_get_os_event_encoding("CYCLES", -1, PFM_OS_PERF_EVENT, &perf));
    show("os 3", do_pfm_get_os_event_encoding("CYCLES", 8, (pfm_os_t)3, &perf));
    show("os -1", do_pfm_get_os_event_encoding("CYCLES", 8, (pfm_os_t)-1, &perf));
    const char* texts[] = {"",
                           ":",
                           "::",
                           "perf::",
                           "perf::CYCLES:",
                           "perf::CYCLES:u=",
                           "perf::CYCLES:u=2",
                           "perf::CYCLES:u:u",
                           "perf::CYCLES:u=0:u=1",
                           "perf::CYCLES:period=5",
                           "perf::CYCLES:freq=0",
                           "perf::CYCLES:period=1:freq=2",
                           "CYCLES,INSTRUCTIONS",
                           " CYCLES",
                           "perf::CYCLES:precise=4",
                           "perf::CYCLES:precise=3",
                           "perf::CYCLES:cpu=1",
                           "perf::CYCLES:cpu=2147483647",
                           "perf::CYCLES:cpu=0x7",
                           "perf::CYCLES:0x1",
                           "perf::PERF_COUNT_HW_CACHE_L1D:READ:WRITE",
                           "perf::PERF_COUNT_HW_CACHE_L1D:0x1",
                           "r",
                           "r1g",
                           "r1",
                           "rffffffffffffffff",
                           "r10000000000000000",
                           "perf_raw::r1a2:u",
                           "perf::CYCLES.u.k=1",
                           "PERF::cycles",
                           "nopmu::CYCLES",
                           "perf::CYCLES=1",
                           "perf::CYCLES:nope",
                           "perf::CYCLES:mg=0",
                           "perf::CYCLES:mh",
                           "perf::CYCLES:excl:pinned",
                           "perf::L1-DCACHE-LOADS:u",
                           "perf::CYCLES:period=18446744073709551616",
                           "perf::CYCLES:period=0x",
                           "perf::CYCLES:period=08",
                           "perf::CYCLES:h",
                           "perf::CPU-CLOCK:h",
                           NULL};
    for (int i = 0; texts[i]; i++) show_encoding(texts[i]);
    for (size_t size = 0; size < 64; size += 4) {
      char what[32];
      snprintf(what, sizeof what, "size %zu", size);
      perf.size = size;
      show(what, do_pfm_get_os_event_encoding("perf::CYCLES", 8, PFM_OS_PERF_EVENT, &perf));
      raw.size = size;
      raw.codes = &code;
      raw.count = 1;
      show(what, do_pfm_get_os_event_encoding("perf::CYCLES", 8, PFM_OS_NONE, &raw));
      pmu.size = size;
      show(what, do_pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &pmu));
      event.size = size;
      show(what, do_pfm_get_event_info(PFM_PMU_PERF_EVENT << 21, PFM_OS_NONE, &event));
      attribute.size = size;
      show(what,
           do_pfm_get_event_attr_info(PFM_PMU_PERF_EVENT << 21, 0, PFM_OS_PERF_EVENT, &attribute));
    }
    raw.size = sizeof raw;
    raw.count = 0;
    show("no room", do_pfm_get_os_event_encoding("perf::CYCLES", 8, PFM_OS_NONE, &raw));
    struct {
      pfm_pmu_info_t info;
      char more[16];
    } longer;
    memset(&longer, 0, sizeof longer);
    longer.info.size = sizeof longer;
    show("longer", do_pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &longer.info));
    longer.info.size = sizeof longer;
    longer.more[8] = 1;
    show("longer, not zero", do_pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &longer.info));
    for (unsigned size = 0; size < 200; size += 8) {
      memset(&attr, 0, sizeof attr);
      attr.size = size;
      perf.size = 0;
      int ret = do_pfm_get_os_event_encoding("perf::INSTRUCTIONS", 8, PFM_OS_PERF_EVENT, &perf);
      printf("attr size %u: %d type=%u config=%llu size=%u\n", size, ret, attr.type,
             (unsigned long long)attr.config, attr.size);
    }
    show("pmu info null", do_pfm_get_pmu_info(PFM_PMU_PERF_EVENT, NULL));
    show("pmu -1", do_pfm_get_pmu_info((pfm_pmu_t)-1, &pmu));
    show("event null", do_pfm_get_event_info(PFM_PMU_PERF_EVENT << 21, PFM_OS_NONE, NULL));
    show("event -1", do_pfm_get_event_info(-1, PFM_OS_NONE, &event));
    show("event 0", do_pfm_get_event_info(0, PFM_OS_NONE, &event));
    show("event os", do_pfm_get_event_info(PFM_PMU_PERF_EVENT << 21, (pfm_os_t)7, &event));
    show("event beyond",
         do_pfm_get_event_info(PFM_PMU_PERF_EVENT << 21 | 0x1fffff, PFM_OS_NONE, &event));
    struct {
      pfm_event_attr_info_t info;
      uint64_t next;
    } again;  // as PCP's agent does, whose stack goes on after the struct
    memset(&again.info, 0, sizeof again.info);
    again.next = 1;
    for (int i = 0; i < 2; i++)
      show("attribute into one struct",
           do_pfm_get_event_attr_info(PFM_PMU_PERF_EVENT << 21, i, PFM_OS_PERF_EVENT, &again.info));
    show("attribute -1",
         do_pfm_get_event_attr_info(PFM_PMU_PERF_EVENT << 21, -1, PFM_OS_NONE, &attribute));
    show("attribute 99",
         do_pfm_get_event_attr_info(PFM_PMU_PERF_EVENT << 21, 99, PFM_OS_NONE, &attribute));
    show("attribute null",
         do_pfm_get_event_attr_info(PFM_PMU_PERF_EVENT << 21, 0, PFM_OS_PERF_EVENT, NULL));
    show("find null", do_pfm_find_event(NULL));
    printf("next %d %d %d\n", do_pfm_get_event_next(-1), do_pfm_get_event_next(0x7fffffff),
           do_pfm_get_event_next(0));
    show("old null", do_pfm_get_event_encoding(NULL, 8, NULL, NULL, &codes, &count));
    codes = NULL;
    count = 3;
    show("old count", do_pfm_get_event_encoding("CYCLES", 8, NULL, NULL, &codes, &count));
    count = 0;
    show("old", do_pfm_get_event_encoding("CYCLES", 8, NULL, &number, &codes, &count));
    free(codes);
    codes = NULL;
    show("old perf null", do_pfm_get_perf_event_encoding("CYCLES", 8, NULL, NULL, NULL));
    show("old perf", do_pfm_get_perf_event_encoding("CYCLES", 8, &attr, NULL, &number));
    show("old perf levels", do_pfm_get_perf_event_encoding("CYCLES", 0x80, &attr, NULL, &number));
    show("validate null", do_pfm_pmu_validate(PFM_PMU_PERF_EVENT, NULL));
  }
  for (int code = 3; code > -16; code--) show("error", code);
  printf("version %#x\n", do_pfm_get_version());
}

int main(int argc, char** argv) {
  int with_texts = 1;
  if (argc > 1 && !strcmp(argv[1], "-n")) {
    with_texts = 0;
    argc--;
    argv++;
  }
  if (argc < 3) return 2;
  load(argv[1]);
  if (!strcmp(argv[2], "mistakes")) {
    show_mistakes();
    return 0;
  }
  if (do_pfm_initialize() != PFM_SUCCESS) return 1;
  if (!strcmp(argv[2], "pmus")) show_pmus();
  for (int i = 3; i < argc; i++) {
    if (!strcmp(argv[2], "events")) show_events(atoi(argv[i]), with_texts);
    if (!strcmp(argv[2], "encode")) show_encoding(argv[i]);
  }
  return 0;
}
