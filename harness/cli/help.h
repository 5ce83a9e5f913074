// Help texts that fit a terminal.
#pragma once

#include <CLI/CLI.hpp>

namespace gridlock::cli {

// Prints options and commands with their texts beside them. No line is wider than
// report::kReportColumns.
class Help : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace gridlock::cli
