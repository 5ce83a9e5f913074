// One table of a TOML file, read key by key. A key that the code does not ask for is an error, so
// the code is the list of known keys.
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

  // Each returns nothing when the key is not there.
  //   Errors   UsageError with file and line when its value has another type
  std::optional<Word> text(std::string_view key);
  std::optional<std::int64_t> whole(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::chrono::year_month_day> date(std::string_view key);
  // One text, or a list of them.
  std::optional<std::vector<Word>> texts(std::string_view key);
  std::vector<Section> sections(std::string_view key);
  // The node itself, for values of several types.
  const toml::node* node(std::string_view key);

  // A text, turned into a value by `parse`, whose UsageError gets file and line.
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

  //   Errors   UsageError when the key is missing
  Word needed_text(std::string_view key, std::string_view example);

  // "FILE:LINE: sentence", as an error.
  [[noreturn]] void refuse(int line, const std::string& sentence) const;
  //   Errors   UsageError naming the first key that nobody asked for, and the nearest right one
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
