#include "output/file.hpp"

#include "evname/write_file.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

bool write_file(const std::string& path, std::string_view text,
                std::span<const std::string> made_from) {
  if (path == "-") return to_stdout(text) && flush_output();
  const auto done = evname::write_file(path, text, made_from);
  if (!done) tell_error("{}", done.error().text());
  return done.has_value();
}

}  // namespace evname::tools
