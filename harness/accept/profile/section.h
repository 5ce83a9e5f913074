// One table of a TOML file, read key by key. A key that the code never asks for is an error, so the
// code itself is the list of known keys.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/accept/profile/profile.h"
#include "harness/base/error.h"

namespace gridlock::accept {

class Section {
 public:
  // `name`: for messages, "[[scenario]]"; "" for the top of the file.
  Section(const toml::table& table, std::string file, std::string name);

  int line() const;

  // Each returns nothing if the key is missing.
  //   Errors   UsageError with file and line if its value has another type
  std::optional<Word> text(std::string_view key);
  std::optional<std::int64_t> whole(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::chrono::year_month_day> date(std::string_view key);
  // One text, or a list of texts.
  std::optional<std::vector<Word>> texts(std::string_view key);
  std::vector<Section> sections(std::string_view key);
  // The node itself, for values of several types.
  const toml::node* node(std::string_view key);

  // A text that `parse` turns into a value. Adds file and line to its UsageError.
  template <typename Parse>
  auto parsed(std::string_view key, Parse parse) -> std::optional<decltype(parse(std::string()))> {
    const auto word = text(key);
    if (!word) return {};
    return located(*word, parse);
  }
  template <typename Parse>
  auto located(const Word& word, Parse parse) const -> decltype(parse(word.text)) {
    try {
      return parse(word.text);
    } catch (const UsageError& error) {
      refuse(word.line, error.what());
    }
  }

  //   Errors   UsageError if the key is missing
  Word needed_text(std::string_view key, std::string_view example);

  // Throws "FILE:LINE: sentence".
  [[noreturn]] void refuse(int line, const std::string& sentence) const;
  //   Errors   UsageError naming the first key that was not asked for, and the nearest known one
  void finish() const;

 private:
  [[noreturn]] void refuse_type(const toml::node& node, std::string_view key,
                                std::string_view wanted) const;

  const toml::table* table_;
  std::string file_;
  std::string name_;
  std::vector<std::string> known_;
};

int line_of(const toml::node& node);

}  // namespace gridlock::accept
