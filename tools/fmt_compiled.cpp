// The compiled part of fmt, for linking the command statically where the system has fmt as a shared
// library only: the header-only form of it, with every inline function kept
// (-fkeep-inline-functions), is what the other objects refer to.
#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY 1
#endif
#include <fmt/format.h>

#include <locale>

template std::locale fmt::detail::locale_ref::get<std::locale>() const;
