// Replaces markup, control characters, marks of writing direction (U+061C, U+200E to U+200F, U+202A
// to U+202E, U+2066 to U+2069), and invalid UTF-8.
#include "harness/report/html.h"

#include <fmt/format.h>

namespace gridlock::report {
namespace {

// A UTF-8 code point and its number of bytes; 0 bytes if `text` does not begin with one.
struct Point {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Point point_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {.code = first, .bytes = 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fU);
  }
  const char32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least || code > 0x10ffff || is_surrogate ? Point{} : Point{code, bytes};
}

bool turns_direction(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool is_control(char32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
}

const char* entity(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const auto [code, bytes] = point_of(text);
    if (bytes == 0) {
      html += "\xef\xbf\xbd";  // U+FFFD
      text.remove_prefix(1);
      continue;
    }
    if (const char* named = entity(code); named != nullptr) {
      html += named;
    } else if (is_control(code)) {
      html += '?';
    } else if (turns_direction(code)) {
      html += fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(code));
    } else {
      html += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return html;
}

}  // namespace gridlock::report
