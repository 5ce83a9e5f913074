// The options of `gridlock accept` and `gridlock soak`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/session/options.h"

namespace gridlock::cli {

CLI::App* add_accept(CLI::App& app, session::Options& options);
CLI::App* add_soak(CLI::App& app, session::Options& options);

}  // namespace gridlock::cli
