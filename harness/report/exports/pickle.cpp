// Opcodes as Python's pickletools names them.
#include "harness/report/exports/pickle.h"

#include <bit>
#include <cstdint>

namespace gridlock::report {
namespace {

using Json = nlohmann::ordered_json;

void put_bytes(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

void put_text(std::string& out, const std::string& text) {
  out += 'X';  // BINUNICODE
  put_bytes(out, text.size(), 4);
  out += text;
}

void put(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      out += "}(";  // EMPTY_DICT MARK
      for (const auto& [key, element] : value.items()) {
        put_text(out, key);
        put(out, element);
      }
      out += 'u';  // SETITEMS
      break;
    case Json::value_t::array:
      out += "](";  // EMPTY_LIST MARK
      for (const Json& element : value) put(out, element);
      out += 'e';  // APPENDS
      break;
    case Json::value_t::string:
      put_text(out, value.get_ref<const std::string&>());
      break;
    case Json::value_t::boolean:
      out += value.get<bool>() ? '\x88' : '\x89';  // NEWTRUE, NEWFALSE
      break;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      out += "\x8a\x08";  // LONG1 of 8 bytes
      put_bytes(out, static_cast<std::uint64_t>(value.get<std::int64_t>()), 8);
      break;
    case Json::value_t::number_float: {
      const auto bits = std::bit_cast<std::uint64_t>(value.get<double>());
      out += 'G';  // BINFLOAT, big-endian
      for (int i = 7; i >= 0; --i) out += static_cast<char>(bits >> (8 * i) & 0xff);
      break;
    }
    default:
      out += 'N';  // NONE
  }
}

}  // namespace

std::string to_pickle(const Json& value) {
  std::string out = "\x80\x02";  // PROTO 2
  put(out, value);
  return out + '.';  // STOP
}

}  // namespace gridlock::report
