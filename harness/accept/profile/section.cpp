// Typed access to TOML. Every error names the line.
#include "harness/accept/profile/section.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/names.h"

namespace gridlock::accept {
namespace {

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

}  // namespace

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

Section::Section(const toml::table& table, std::string file, std::string name)
    : table_(&table), file_(std::move(file)), name_(std::move(name)) {}

int Section::line() const { return line_of(*table_); }

void Section::refuse(int line, const std::string& sentence) const {
  throw UsageError(at_line(file_, line, sentence));
}

void Section::refuse_type(const toml::node& node, std::string_view key,
                          std::string_view wanted) const {
  refuse(line_of(node), fmt::format("{} must be {}, not {}", key, wanted, kind_of(node)));
}

const toml::node* Section::node(std::string_view key) {
  known_.emplace_back(key);
  return table_->get(key);
}

std::optional<Word> Section::text(std::string_view key) {
  const toml::node* found = node(key);
  if (found == nullptr) return {};
  const auto* value = found->as_string();
  if (value == nullptr) refuse_type(*found, key, "a text in quotation marks");
  return Word{.text = value->get(), .line = line_of(*found)};
}

std::optional<std::int64_t> Section::whole(std::string_view key) {
  const toml::node* found = node(key);
  if (found == nullptr) return {};
  const auto* value = found->as_integer();
  if (value == nullptr) refuse_type(*found, key, "a whole number");
  return value->get();
}

std::optional<bool> Section::flag(std::string_view key) {
  const toml::node* found = node(key);
  if (found == nullptr) return {};
  const auto* value = found->as_boolean();
  if (value == nullptr) refuse_type(*found, key, "true or false");
  return value->get();
}

std::optional<std::chrono::year_month_day> Section::date(std::string_view key) {
  const toml::node* found = node(key);
  if (found == nullptr) return {};
  const auto* value = found->as_date();
  if (value == nullptr) {
    refuse_type(*found, key, "a date without quotation marks, like 2027-01-31,");
  }
  const toml::date day = value->get();
  return std::chrono::year_month_day(std::chrono::year(day.year), std::chrono::month(day.month),
                                     std::chrono::day(day.day));
}

std::optional<std::vector<Word>> Section::texts(std::string_view key) {
  const toml::node* found = node(key);
  if (found == nullptr) return {};
  constexpr const char* kWanted = "a text or a list of texts";
  if (const auto* one = found->as_string()) {
    return std::vector<Word>{{.text = one->get(), .line = line_of(*found)}};
  }
  const auto* list = found->as_array();
  if (list == nullptr) refuse_type(*found, key, kWanted);
  std::vector<Word> words;
  for (const toml::node& element : *list) {
    const auto* value = element.as_string();
    if (value == nullptr) refuse_type(element, key, kWanted);
    words.push_back({.text = value->get(), .line = line_of(element)});
  }
  if (words.empty()) refuse(line_of(*found), fmt::format("{} is an empty list", key));
  return words;
}

std::vector<Section> Section::sections(std::string_view key) {
  const toml::node* found = node(key);
  if (found == nullptr) return {};
  const std::string name = fmt::format("[[{}]]", key);
  const auto* list = found->as_array();
  if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
    refuse(line_of(*found),
           fmt::format("write {0} before its keys, not [{1}] or {1} = …", name, key));
  }
  std::vector<Section> all;
  for (const toml::node& element : *list) all.emplace_back(*element.as_table(), file_, name);
  return all;
}

Word Section::needed_text(std::string_view key, std::string_view example) {
  auto word = text(key);
  if (!word) {
    refuse(line(),
           fmt::format("{} lacks the key {}, for example {} = {}", name_, key, key, example));
  }
  if (word->text.empty()) refuse(word->line, fmt::format("{} is empty", key));
  return *word;
}

void Section::finish() const {
  for (const auto& [key, value] : *table_) {
    const std::string name(key.str());
    if (std::count(known_.begin(), known_.end(), name) > 0) continue;
    const std::string near = nearest(name, known_);
    refuse(static_cast<int>(key.source().begin.line),
           fmt::format("there is no key \"{}\"{}; {}", name, name_.empty() ? "" : " in " + name_,
                       near.empty() ? fmt::format("there are {}", fmt::join(known_, ", "))
                                    : fmt::format("did you mean {}?", near)));
  }
}

}  // namespace gridlock::accept
