// Help texts that fit a terminal.
#pragma once

#include <CLI/CLI.hpp>

namespace gridlock::cli {

// Options and commands with their texts beside them, no line wider than report::kReportColumns.
class Help : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace gridlock::cli
