#pragma once
// The BPF programs that a recording describes.

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::perf_format {

/// Reads an entry of the feature BPF_PROG_INFO.
BpfProgram read_bpf_program(Cursor& in);
/// Reads an entry of the feature BPF_BTF.
BpfBtf read_bpf_btf(Cursor& in);

}  // namespace evname::perf_format
