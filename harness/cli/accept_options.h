// The options of `gridlock accept` and `gridlock soak`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/options.h"

namespace gridlock::cli {

CLI::App* add_accept(CLI::App& app, Options& options);
CLI::App* add_soak(CLI::App& app, Options& options);

}  // namespace gridlock::cli
