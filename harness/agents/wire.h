// Turns values into bytes and back, for messages between agents. Numbers are little-endian base
// 128, so small ones take one byte. Signed numbers alternate (0, -1, 1 … become 0, 1, 2 …). Texts
// and lists begin with their length. Each value has only one encoding, so equal values give equal
// bytes.
//
// Writing and reading have the same call operator, so one function lists a type's fields for both.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/error.h"
#include "harness/record/snapshot.h"

namespace gridlock::agents {

// Bytes that no agent of this version sends.
struct WireError : MachineError {
  using MachineError::MachineError;
};

// The last enumerator of an enumeration that is sent. A larger number is an error.
template <typename Enum>
inline constexpr Enum kLast = Enum::not_said;

class Writer {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  // Times of the sender's CLOCK_MONOTONIC.
  template <typename... Times>
  void times(const Times&... times) {
    (put(times), ...);
  }
  template <typename Value, typename Visit>
  void list(const std::vector<Value>& values, Visit visit) {
    put_number(values.size());
    for (const Value& value : values) visit(*this, value);
  }

  template <typename Value, typename Visit>
  void optional(const std::optional<Value>& value, Visit visit) {
    put(value.has_value());
    if (value) visit(*this, *value);
  }
  // Appends bytes that are already encoded.
  void raw(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void put_number(std::uint64_t number);

  template <typename Value>
  requires std::integral<Value> || std::is_enum_v<Value>
  void put(Value value) {
    if constexpr (std::is_enum_v<Value>) {
      put_number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_signed_v<Value> && !std::same_as<Value, char>) {
      const auto wide = static_cast<std::int64_t>(value);
      put_number(static_cast<std::uint64_t>(wide) << 1U ^ static_cast<std::uint64_t>(wide >> 63U));
    } else {
      put_number(static_cast<std::make_unsigned_t<
                     std::conditional_t<std::same_as<Value, bool>, unsigned char, Value>>>(value));
    }
  }
  void put(double value);
  void put(std::string_view text) {
    put_number(text.size());
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <int Size>
  void put(const record::Text<Size>& text) {
    put(text.view());
  }
  void put(std::chrono::nanoseconds duration) { put(std::int64_t{duration.count()}); }
  template <typename Value, std::size_t Size>
  void put(const std::array<Value, Size>& values) {
    for (const Value& value : values) put(value);
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put_number(values.size());
    for (const Value& value : values) put(value);
  }
  template <typename Key, typename Value>
  void put(const std::map<Key, Value>& values) {
    put_number(values.size());
    for (const auto& [key, value] : values) {
      put(key);
      put(value);
    }
  }

  std::string bytes_;
};

class Reader {
 public:
  // `offset` is added to times that are not 0.
  explicit Reader(std::string_view bytes, std::int64_t offset = 0)
      : rest_(bytes), offset_(offset) {}

  //   Errors   WireError if the bytes end too early, or hold what no agent sends
  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  template <typename... Times>
  void times(Times&... times) {
    (get_time(times), ...);
  }
  template <typename Value, typename Visit>
  void list(std::vector<Value>& values, Visit visit) {
    values.assign(get_size(), Value{});
    for (Value& value : values) visit(*this, value);
  }

  template <typename Value, typename Visit>
  void optional(std::optional<Value>& value, Visit visit) {
    bool is_there = false;
    get(is_there);
    value.reset();
    if (is_there) visit(*this, value.emplace());
  }

  void set_offset(std::int64_t offset) { offset_ = offset; }
  //   Errors   WireError if something is left
  void end() const;

 private:
  std::uint64_t get_number();
  // The length of a text or list whose elements each take at least a byte.
  std::size_t get_size();
  std::string_view get_text();

  template <typename Value>
  requires std::integral<Value> || std::is_enum_v<Value>
  void get(Value& value) {
    const std::uint64_t number = get_number();
    if constexpr (std::is_enum_v<Value>) {
      if (number > static_cast<std::uint64_t>(kLast<Value>)) fail("an unknown name");
      value = static_cast<Value>(number);
    } else if constexpr (std::same_as<Value, bool>) {
      if (number > 1) fail("an impossible truth value");
      value = number == 1;
    } else if constexpr (std::same_as<Value, char>) {
      if (number > 0x7f) fail("an impossible letter");
      value = static_cast<char>(number);
    } else if constexpr (std::is_signed_v<Value>) {
      const auto wide =
          static_cast<std::int64_t>(number >> 1U) ^ -static_cast<std::int64_t>(number & 1U);
      if (wide < std::numeric_limits<Value>::min() || wide > std::numeric_limits<Value>::max()) {
        fail("a number that is too large");
      }
      value = static_cast<Value>(wide);
    } else {
      if (number > std::numeric_limits<Value>::max()) fail("a number that is too large");
      value = static_cast<Value>(number);
    }
  }
  void get(double& value);
  void get(std::string& text) { text = get_text(); }
  template <int Size>
  void get(record::Text<Size>& text) {
    text = record::Text<Size>(get_text());
  }
  void get(std::chrono::nanoseconds& duration) {
    std::int64_t count = 0;
    get(count);
    duration = std::chrono::nanoseconds(count);
  }
  template <typename Value, std::size_t Size>
  void get(std::array<Value, Size>& values) {
    for (Value& value : values) get(value);
  }
  template <typename Value>
  void get(std::vector<Value>& values) {
    values.assign(get_size(), Value{});
    for (Value& value : values) get(value);
  }
  template <typename Key, typename Value>
  void get(std::map<Key, Value>& values) {
    values.clear();
    for (std::size_t left = get_size(); left > 0; --left) {
      Key key{};
      get(key);
      get(values[key]);
    }
  }
  void get_time(std::int64_t& time_ns);

  [[noreturn]] static void fail(const char* what);

  std::string_view rest_;
  std::int64_t offset_;
};

}  // namespace gridlock::agents
