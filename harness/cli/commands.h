// The subcommands. Each returns the program's exit code and lets errors pass to main.
#pragma once

#include "harness/cli/options.h"

namespace gridlock::cli {

int list(const Options& options);
int explain(const Options& options);
int run_scenarios(const Options& options);
int claims(const Options& options);
int accept_machine(const Options& options);
int soak(const Options& options);
int watch(const Options& options);
int diagnose(const Options& options);
int compare(const Options& options);
int report(const Options& options);

}  // namespace gridlock::cli
