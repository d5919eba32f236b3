#pragma once
#include <string>

#include "evname/encoding.hpp"

namespace evname::tools {

/// The encoding as `perf stat -e` takes it on the machine itself: "cpu/event=0xd1,umask=0x20/u".
/// The period is left out: how often to sample is the user's choice.
std::string perf_spelling(const Encoding& encoding);

/// "config=0x1b7,config1=0x10001": the words of perf_event_attr that are not zero, config always.
std::string config_words(const Encoding& encoding);

}  // namespace evname::tools
