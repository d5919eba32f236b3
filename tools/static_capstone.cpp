// Replaces the parts of libcapstone.a for machines that evname does not decode, which take 1.7 MB.
// A linker looks for a function in the command before it looks in a library.

#include <capstone/capstone.h>

#include <cstddef>

// The declarations: each module of Capstone's arch/ has a header with them.
#define EVNAME_WITHOUT(machine)                                                 \
  cs_err machine##_global_init(void* handle);                                   \
  cs_err machine##_option(void* handle, cs_opt_type option, std::size_t value); \
  cs_err machine##_global_init(void*) { return CS_ERR_ARCH; }                   \
  cs_err machine##_option(void*, cs_opt_type, std::size_t) { return CS_ERR_ARCH; }

extern "C" {
EVNAME_WITHOUT(Mips)
EVNAME_WITHOUT(Sparc)
EVNAME_WITHOUT(XCore)
EVNAME_WITHOUT(M68K)
EVNAME_WITHOUT(TMS320C64x)
EVNAME_WITHOUT(M680X)
EVNAME_WITHOUT(EVM)
EVNAME_WITHOUT(MOS65XX)
EVNAME_WITHOUT(WASM)
EVNAME_WITHOUT(BPF)
EVNAME_WITHOUT(SH)
EVNAME_WITHOUT(TRICORE)
}
