#include "output/file.hpp"

#include <cstdio>

#include "base/atomic_file.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

bool write_file(const std::string& path, std::string_view text) {
  auto out = AtomicFile::create(path);
  Result<void> done;
  if (!out)
    done = tl::unexpected(out.error());
  else if (done = out->write(text); done)
    done = out->commit();
  if (!done) tell_error("{}", done.error().text());
  return done.has_value();
}

bool to_stdout(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

}  // namespace evname::tools
