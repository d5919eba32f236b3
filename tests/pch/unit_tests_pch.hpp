// What most tests include anyway, read by the compiler once instead of in each.
// No file relies on it: each includes what it uses (-Db_pch=false builds as well).

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tl/expected.hpp>
