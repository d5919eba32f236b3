#pragma once
// What resolve and name share: queries from arguments or standard input, and errors about them.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::tools {

/// The arguments, "-" replaced by the non-empty lines of standard input.
std::vector<std::string> expand_queries(const std::vector<std::string>& arguments);

/// One line: the message and its hint, and the place where the query has several parts.
std::string error_text(const Error& error);

/// The warnings of all encodings of a query on stderr, each once.
void print_warnings(const std::string& query, std::span<const Encoding> encodings);

/// The encodings of a query, its warnings told; nullopt if it names none, which is told on stderr
/// or, with `json`, as an object with query and error.
std::optional<std::vector<Encoding>> resolve_query(const Machine& machine, const std::string& query,
                                                   bool json);

/// "evname: QUERY: …" on stderr; for an error inside a longer text, that text with a caret below
/// the place.
void print_error(const std::string& query, const Error& error);

}  // namespace evname::tools
