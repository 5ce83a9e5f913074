// Prints a name on the left and its text on the right.
#include "harness/cli/help.h"

#include "harness/report/formats/text.h"

namespace gridlock::cli {
namespace {

std::string entry(const std::string& name, const std::string& text) {
  constexpr std::size_t kNames = 26;
  const std::string shown = "  " + name;
  const bool is_long = report::width(shown) >= kNames;
  return (is_long ? shown + "\n" + std::string(kNames, ' ') : report::padded(shown, kNames)) +
         report::wrapped(text, report::kReportColumns, kNames);
}

}  // namespace

std::string Help::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  const std::string type = option->get_type_name();
  if (!is_positional && option->get_type_size() != 0 && !type.empty()) name += " " + type;
  return entry(name, make_option_desc(option) +
                         (option->get_required() && !is_positional ? " (required)" : ""));
}

std::string Help::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace gridlock::cli
