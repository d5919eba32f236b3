#pragma once
// The formats.

#include <memory>

#include "recordings/profiles/output.hpp"
#include "recordings/profiles/walk.hpp"

namespace evname::profiles {

/// The means to write a format; all of it outlives the Writer.
struct WriterSetup {
  Profile& profile;
  Output& out;
};

std::unique_ptr<Writer> make_pprof_writer(const WriterSetup& setup);
std::unique_ptr<Writer> make_firefox_writer(const WriterSetup& setup);
std::unique_ptr<Writer> make_speedscope_writer(const WriterSetup& setup);
std::unique_ptr<Writer> make_perfetto_writer(const WriterSetup& setup);
std::unique_ptr<Writer> make_otlp_writer(const WriterSetup& setup);
std::unique_ptr<Writer> make_otlp_json_writer(const WriterSetup& setup);

}  // namespace evname::profiles
