#include <utility>

#include "evname/error.hpp"

namespace evname {

Error::Error() = default;

Error::Error(Errc code_of, std::string what, std::string place, std::string try_next,
             std::optional<std::uint64_t> offset_of)
    : code(code_of),
      message(std::move(what)),
      where(std::move(place)),
      hint(std::move(try_next)),
      offset(offset_of) {}

Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

std::string Error::text() const {
  std::string out = where.empty() ? message : where + ": " + message;
  return hint.empty() ? out : out + " (" + hint + ")";
}

tl::unexpected<Error> fail(Errc code, std::string message, std::string where, std::string hint,
                           std::optional<std::uint64_t> offset) {
  return tl::unexpected<Error>(
      Error(code, std::move(message), std::move(where), std::move(hint), offset));
}

}  // namespace evname
