// The compiled part of fmt, for linking the command statically where the system has fmt as a shared
// library only: fmt's own definitions, and what its headers declare as instantiated elsewhere. The
// command uses no locale, whose code in the C++ library takes 0.4 MB.
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include <fmt/format-inl.h>

template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl(locale_ref);
template char fmt::detail::decimal_point_impl(locale_ref);
template fmt::detail::dragonbox::decimal_fp<float> fmt::detail::dragonbox::to_decimal(
    float) noexcept;
template fmt::detail::dragonbox::decimal_fp<double> fmt::detail::dragonbox::to_decimal(
    double) noexcept;
