#pragma once
// Formats events for several subcommands.

#include <string>

#include "evname/encoding.hpp"
#include "evname/machine.hpp"
#include "output/json_line.hpp"

namespace evname::tools {

/// The name with its modifiers, as perf shows it: "cycles:u", "cpu/event=0x3c/u", or the name that
/// name= gives the event. It does not identify the code.
std::string full_name(const Encoding& encoding);

/// The encoding as `perf stat -e` takes it on the machine itself: "cpu/event=0xd1,umask=0x20/u".
/// The period is left out, since the user chooses it.
std::string perf_spelling(const Encoding& encoding);

/// "config=0x1b7,config1=0x10001": the words of perf_event_attr that are not zero, config always;
/// "config=?" if only the machine itself knows them.
std::string config_words(const Encoding& encoding);

/// The same after "type=4 "; "type=? " where only the machine itself knows it.
std::string code_words(const Encoding& encoding);

/// "possible", "required"; "" if no source says that samples can be precise.
std::string_view word_of(EventInfo::Precision precise);

/// The keys type and config, config1, …: null if only the machine itself knows them.
void add_code(JsonLine& line, const Encoding& encoding);

/// One event as `list --json` and `show --json` print it. Keys: name, pmu, topic, terms, desc,
/// scale, unit, per_pkg, deprecated, model, precise ("possible", "required"), precise_address,
/// errata, and directory if the event is from event files outside the build; with `long_desc` also
/// long_desc; with `code` the name with modifiers as event, instance (its PMU), type and the config
/// words.
void print_event_json(const EventInfo& event, bool long_desc = false,
                      const Encoding* code = nullptr);

}  // namespace evname::tools
