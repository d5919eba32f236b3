#include "perfdata/stream/stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace evname::perfdata {

OneWay::~OneWay() {
  if (owned_) ::close(fd_);
}

Result<std::size_t> OneWay::read(std::uint8_t* to, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail(Errc::io, std::strerror(errno));
  }
}

}  // namespace evname::perfdata
