// The subcommands. Each returns the program's exit code and lets errors pass to main.
#pragma once

#include "harness/session/options.h"

namespace gridlock::cli {

int list(const session::Options& options);
int explain(const session::Options& options);
int run_scenarios(const session::Options& options);
int claims(const session::Options& options);
int accept_machine(const session::Options& options);
int soak(const session::Options& options);
int watch(const session::Options& options);
int diagnose(const session::Options& options);
int compare(const session::Options& options);
int report(const session::Options& options);

}  // namespace gridlock::cli
