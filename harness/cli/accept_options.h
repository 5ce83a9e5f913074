// The options of `gridlock accept`.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/shared_options.h"
#include "harness/session/results/writer.h"

namespace gridlock::cli {

struct AcceptOptions {
  std::vector<std::string> profiles;  // name or path; there must be one
  std::string backend = "auto";
  std::string nccl = kOwnNccl;
  bool list = false;
  bool dry_run = false;
  std::vector<std::string> tags;
  std::vector<std::string> skip_tags;
  std::string shard;   // "2/3"; empty: all
  int until_fail = 0;  // 0: the profile's own repetitions
  int stop_after = 0;  // 0: never
  std::filesystem::path resume;
  std::filesystem::path baseline;
  std::filesystem::path write_baseline;
  session::Outputs outputs;
};

CLI::App* add_accept(CLI::App& app, AcceptOptions& options);

}  // namespace gridlock::cli
