#pragma once
// The functions of recordings, reports, profiles and addresses that take memory. For one source of
// a program.

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "call_table.hpp"

namespace {

int goes_on(void*, std::uint64_t, std::uint64_t) { return 0; }

void recordings(Table& table) {
  opens<evname_recording>(table, "evname_recording_open_with", evname_recording_free,
                          [](Fixture& f, auto** out, auto* e) {
                            return evname_recording_open_with(f.recording_path.c_str(),
                                                              EVNAME_NO_USER_EVENTS, out, e);
                          });
  opens<evname_recording>(table, "evname_recording_open", evname_recording_free,
                          [](Fixture& f, auto** out, auto* e) {
                            return evname_recording_open(f.recording_path.c_str(), out, e);
                          });
  opens<evname_recording>(table, "evname_recording_open_descriptor", evname_recording_free,
                          [](Fixture& f, auto** out, auto* e) {
                            const int file = ::open(f.recording_path.c_str(), O_RDONLY | O_CLOEXEC);
                            const int status =
                                evname_recording_open_descriptor(file, "recording", 0, out, e);
                            ::close(file);
                            return status;
                          });
  table["evname_recording_open_bytes"] = [](const char* name, Fixture& f) {
    std::ifstream in(f.recording_path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    fail_each(name, [&](evname_error* e) {
      return opened<evname_recording>(evname_recording_free, [&](auto** out) {
        return evname_recording_open_bytes(bytes.data(), bytes.size(), "recording", 0, out, e);
      });
    });
  };
  opens<evname_samples>(table, "evname_samples_open", evname_samples_free,
                        [](Fixture& f, auto** out, auto* e) {
                          return evname_samples_open(f.recording, EVNAME_SAMPLES_SALVAGE, out, e);
                        });
  opens<evname_samples>(table, "evname_samples_open_with", evname_samples_free,
                        [](Fixture& f, auto** out, auto* e) {
                          return evname_samples_open_with(f.recording, 0, goes_on, nullptr, out, e);
                        });
  // A failure ends the pass, so a call is a whole pass.
  const auto samples = [](evname_samples* of) {
    evname_sample sample;
    return evname_samples_next(of, &sample);
  };
  const auto pass = [samples](Fixture& f, int (*end)(evname_samples*),
                              int (*next)(evname_samples*) = nullptr) {
    return [&f, end, next = next != nullptr ? next : samples](evname_error* e) {
      return opened<evname_samples>(evname_samples_free, [&](auto** out) {
        if (const int status = evname_samples_open(f.recording, 0, out, e)) return status;
        int more = 0;
        while ((more = next(*out)) == 1) continue;
        const int status = more < 0 ? -more : end(*out);
        if (status != EVNAME_OK) evname_samples_free(*out), *out = nullptr;
        return status;
      });
    };
  };
  table["evname_samples_next"] = [pass](const char* name, Fixture& f) {
    fail_each(name, pass(f, [](evname_samples*) { return int{EVNAME_OK}; }));
  };
  table["evname_records_next"] = [pass](const char* name, Fixture& f) {
    fail_each(name, pass(
                        f, [](evname_samples*) { return int{EVNAME_OK}; },
                        [](evname_samples* of) {
                          evname_record record;
                          return evname_records_next(of, &record);
                        }));
  };
  table["evname_sample_field"] = [](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error*) {
      evname_field field;
      const int status = evname_sample_field(f.recording, 0, "", 0, "prio", 0, &field);
      return status == EVNAME_NOT_FOUND ? int{EVNAME_OK} : status;
    });
  };
  table["evname_data_source_of"] = [](const char* name, Fixture&) {
    fail_each(name, [](evname_error*) {
      evname_data_source source;
      return evname_data_source_of(UINT64_MAX, &source);
    });
  };
  table["evname_branch_of"] = [](const char* name, Fixture&) {
    fail_each(name, [](evname_error*) {
      const std::uint64_t words[3] = {};
      evname_branch branch;
      return evname_branch_of(words, nullptr, &branch);
    });
  };
  table["evname_samples_tally"] = [pass](const char* name, Fixture& f) {
    fail_each(name, pass(f, [](evname_samples* samples) {
                evname_tally tally;
                return evname_samples_tally(samples, &tally);
              }));
  };
  table["evname_parse_times"] = [](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      evname_time_range ranges[2];
      std::size_t count;
      return evname_parse_times(f.recording, "10%-20%,1.5,2.5", ranges, 2, &count, e) == EVNAME_OK
                 ? int{EVNAME_OK}
                 : evname_parse_times(f.recording, "10%-20%", ranges, 2, &count, e);
    });
  };
  table["evname_annotate"] = [](const char* name, Fixture& f) {
    for (const std::uint32_t format :
         {EVNAME_FORMAT_TEXT, EVNAME_FORMAT_CSV, EVNAME_FORMAT_JSONL, EVNAME_FORMAT_FOLDED})
      for (const std::uint32_t jobs : {1u, 3u})
        fail_each(name, [&](evname_error* e) {
          const evname_annotate_options options = {nullptr, 0, format, 0, {}};
          evname_filter filter = {};
          filter.jobs = jobs;
          evname_tally tally;
          return evname_annotate(f.recording, &options, &filter, f.sink, &tally, e);
        });
  };
}

void reports(Table& table) {
  opens<evname_report>(table, "evname_report_new", evname_report_free,
                       [](Fixture&, auto** out, auto* e) {
                         return evname_report_new("event,comm", nullptr, out, e);
                       });
  // A failed call adds nothing: the second call counts each sample once.
  table["evname_report_add"] = [](const char* name, Fixture& f) {
    for (const char* keys : {"event", "event,comm"})
      fail_each(name, std::function<Call()>([&]() -> Call {
                  evname_report* report = nullptr;
                  CHECK(evname_report_new(keys, nullptr, &report, nullptr) == EVNAME_OK);
                  return [&f, report = std::shared_ptr<evname_report>(report, evname_report_free)](
                             evname_error* e) {
                    evname_tally tally = {};
                    const int status = evname_report_add(report.get(), f.recording, &tally, e);
                    std::uint64_t samples = 0;
                    for (std::size_t i = 0; i < evname_report_row_count(report.get()); ++i) {
                      evname_report_row row;
                      CHECK(evname_report_row_at(report.get(), i, &row) == EVNAME_OK);
                      CHECK(row.keys_count > 0 && std::strlen(row.keys[0]) > 0);
                      samples += row.samples;
                    }
                    CHECK(samples == tally.samples);
                    return status;
                  };
                }));
  };
  table["evname_inject"] = [](const char* name, Fixture& f) {
    for (const char* path : {static_cast<const char*>(nullptr), f.out.c_str()})
      fail_each(name, [&](evname_error* e) {
        return opened<evname_renames>(evname_renames_free, [&](auto** out) {
          return evname_inject(f.recording, path, out, e);
        });
      });
  };
  table["evname_inject_with"] = [](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      return opened<evname_renames>(evname_renames_free, [&](auto** out) {
        return evname_inject_with(f.recording, f.out.c_str(), goes_on, nullptr, out, e);
      });
    });
  };
}

void profiles(Table& table) {
  table["evname_profile_write"] = [](const char* name, Fixture& f) {
    for (std::uint32_t format = 0; format <= EVNAME_PROFILE_OTLP_JSON; ++format)
      fail_each(name, [&](evname_error* e) {
        const evname_recording* const recordings[] = {f.recording, f.recording};
        evname_profile_options options = {};
        options.format = format;
        std::uint64_t samples;
        const int status = evname_profile_write(recordings, 2, &options, nullptr, f.out.c_str(),
                                                &samples, nullptr, e);
        return status == EVNAME_UNSUPPORTED ? int{EVNAME_OK} : status;
      });
  };
  table["evname_extract"] = [](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      evname_filter filter = {};
      filter.event = "inst*";
      return evname_extract(f.recording, &filter, f.out.c_str(), nullptr, nullptr, e);
    });
  };
  table["evname_pack"] = [](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      return evname_pack(f.recording, nullptr, f.out.c_str(), goes_on, nullptr, nullptr, e);
    });
  };
  opens<evname_parts>(table, "evname_split", evname_parts_free,
                      [](Fixture& f, auto** out, auto* e) {
                        const long kept = left.exchange(-1);  // names must be free
                        std::filesystem::remove_all(f.parts);
                        left = kept;
                        return evname_split(f.recording, EVNAME_SPLIT_EVENT, nullptr,
                                            f.parts.c_str(), out, nullptr, e);
                      });
}

/// Of functions that no file has.
void instructions_of_functions(Table& table) {
  using Report = std::shared_ptr<evname_instruction_report>;
  const auto empty = [](Fixture& f) {
    evname_symbol_options nowhere = {};
    nowhere.symfs = nowhere.kallsyms = nowhere.vmlinux = f.parts.c_str();
    evname_symbols* symbols = nullptr;
    evname_instruction_report* report = nullptr;
    CHECK(evname_symbols_new(&nowhere, &symbols, nullptr) == EVNAME_OK);
    CHECK(evname_instruction_report_new(symbols, nullptr, &report, nullptr) == EVNAME_OK);
    evname_symbols_free(symbols);
    return Report(report, evname_instruction_report_free);
  };
  const auto filled = [empty](Fixture& f) {
    Report report = empty(f);
    CHECK(evname_instruction_report_add(report.get(), f.recording, nullptr, nullptr) == EVNAME_OK);
    return report;
  };
  opens<evname_instruction_report>(table, "evname_instruction_report_new",
                                   evname_instruction_report_free,
                                   [](Fixture&, auto** out, auto* e) {
                                     return evname_instruction_report_new(nullptr, nullptr, out, e);
                                   });
  // A failed call adds nothing.
  table["evname_instruction_report_add"] = [empty](const char* name, Fixture& f) {
    fail_each(
        name, std::function<Call()>([&]() -> Call {
          return [&f, report = empty(f)](evname_error* e) {
            evname_tally tally = {};
            const int status = evname_instruction_report_add(report.get(), f.recording, &tally, e);
            std::uint64_t samples = 0;
            evname_function one;
            for (std::size_t i = 0;
                 evname_instruction_report_function_at(report.get(), i, &one) == EVNAME_OK; ++i)
              samples += one.all;
            CHECK(samples == tally.samples);
            return status;
          };
        }));
  };
  table["evname_instructions_new"] = [filled](const char* name, Fixture& f) {
    const Report report = filled(f);
    fail_each(name, [&](evname_error* e) {
      return opened<evname_instructions>(evname_instructions_free, [&](auto** out) {
        return evname_instructions_new(report.get(), 0, EVNAME_INSTRUCTIONS_ATT, out, e);
      });
    });
  };
  table["evname_instructions_frames"] = [filled](const char* name, Fixture& f) {
    const Report report = filled(f);
    evname_instructions* code = nullptr;
    CHECK(evname_instructions_new(report.get(), 0, 0, &code, nullptr) == EVNAME_OK);
    fail_each(name, [&](evname_error* e) {
      return opened<evname_frames>(evname_frames_free, [&](auto** out) {
        if (const int status = evname_frames_new(out, e)) return status;
        const int status = evname_instructions_frames(code, 0, *out, e);
        if (status != EVNAME_OK) evname_frames_free(*out), *out = nullptr;
        return status;
      });
    });
    evname_instructions_free(code);
  };
}

/// Of code that no file has: what is read of files takes memory of elfutils.
void addresses(Table& table) {
  opens<evname_symbols>(
      table, "evname_symbols_new", evname_symbols_free,
      [](Fixture&, auto** out, auto* e) { return evname_symbols_new(nullptr, out, e); });
  opens<evname_frames>(table, "evname_frames_new", evname_frames_free,
                       [](Fixture&, auto** out, auto* e) { return evname_frames_new(out, e); });
  using Symbols = std::shared_ptr<evname_symbols>;
  const auto fresh = [] {
    evname_symbols* symbols = nullptr;
    CHECK(evname_symbols_new(nullptr, &symbols, nullptr) == EVNAME_OK);
    return Symbols(symbols, evname_symbols_free);
  };
  table["evname_symbols_find"] = [fresh](const char* name, Fixture&) {
    fail_each(name, std::function<Call()>([&]() -> Call {
                return [symbols = fresh()](evname_error* e) {
                  return opened<evname_frames>(evname_frames_free, [&](auto** out) {
                    if (const int status = evname_frames_new(out, e)) return status;
                    evname_mapping mapping = {};
                    mapping.file = "//anon";
                    mapping.end = UINT64_MAX;
                    const int status =
                        evname_symbols_find(symbols.get(), 0x1000, &mapping, *out, e);
                    if (status != EVNAME_OK) evname_frames_free(*out), *out = nullptr;
                    return status;
                  });
                };
              }));
  };
  // The first sample of a pass, whose files are nowhere.
  const auto at_first = [](Fixture& f, evname_error* e, auto&& look) {
    return opened<evname_samples>(evname_samples_free, [&](auto** out) {
      if (const int status = evname_samples_open(f.recording, 0, out, e)) return status;
      evname_sample sample;
      const int more = evname_samples_next(*out, &sample);
      const int status = more == 1 ? look(*out, sample.ip) : -more;
      if (status != EVNAME_OK) evname_samples_free(*out), *out = nullptr;
      return status;
    });
  };
  table["evname_samples_mapping"] = [at_first](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      return at_first(f, e, [&](evname_samples* samples, std::uint64_t ip) {
        evname_mapping mapping;
        return evname_samples_mapping(samples, ip, ip >> 63, &mapping, e);
      });
    });
  };
  table["evname_samples_stack"] = [at_first](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      return at_first(f, e, [&](evname_samples* samples, std::uint64_t) {
        evname_symbol_options nowhere = {};
        nowhere.symfs = f.parts.c_str();
        nowhere.kallsyms = nowhere.vmlinux = f.parts.c_str();
        evname_symbols* symbols = nullptr;
        evname_frames* frames = nullptr;
        int status = evname_symbols_new(&nowhere, &symbols, e);
        if (status == EVNAME_OK) status = evname_frames_new(&frames, e);
        if (status == EVNAME_OK) status = evname_samples_stack(samples, symbols, frames, e);
        if (status == EVNAME_OK) CHECK(evname_frames_count(frames) > 0);
        evname_frames_free(frames);
        evname_symbols_free(symbols);
        return status;
      });
    });
  };
  table["evname_symbols_problem"] = [fresh](const char* name, Fixture&) {
    const Symbols symbols = fresh();
    fail_each(name, [&](evname_error* e) {
      char text[8];
      std::size_t needed;
      return evname_symbols_problem(symbols.get(), 0, text, sizeof text, &needed, e);
    });
  };
}

}  // namespace
