// What most files of the command include anyway, read by the compiler once instead of in each.
// No file relies on it: each includes what it uses (-Db_pch=false builds as well). None of our own
// headers: with ccache, one that was compiled in another clone would not be known by its time.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>
