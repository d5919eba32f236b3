#pragma once
// The features of a recording.

#include "base/bytes.hpp"
#include "evname/features.hpp"
#include "recordings/format/file_header.hpp"

namespace evname::perfdata {
inline namespace format {

/// Decodes one feature; a fault loses what follows it in this feature only, and is told in
/// `warnings`. Numbers without a decoder are only noted. `offset` is where the content is.
void decode_feature(std::uint64_t number, Bytes content, std::endian order, std::uint64_t offset,
                    Features& features, Warnings& warnings);

/// All features of a file.
void read_features(Bytes file, const Header& header, Features& features, Warnings& warnings);

}  // namespace format
}  // namespace evname::perfdata
