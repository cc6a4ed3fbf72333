// fmt, compiled once into this library: its headers alone take five times as long in every file that uses
// them, and the shared library of the distribution must not be loaded into the application's process.

#include <fmt/format-inl.h>

#if FMT_VERSION / 10000 != 9
#error "libkreplay knows the templates of fmt 9: name those of this version below, or build with fmt 9"
#endif

FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float value) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double value) noexcept -> dragonbox::decimal_fp<double>;
template locale_ref::locale_ref(const std::locale& locale);
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl(locale_ref locale) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref locale) -> char;
template void buffer<char>::append(const char* begin, const char* end);
template void vformat_to(buffer<char>& out, string_view text,
                         basic_format_args<buffer_context<char>> arguments, locale_ref locale);
}  // namespace detail
FMT_END_NAMESPACE
