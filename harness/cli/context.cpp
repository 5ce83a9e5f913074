// Asks the system, and nvidia-smi for GPUs: this process must not call their driver.
#include "harness/cli/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>

#include "harness/cli/commit.h"
#include "harness/cli/mpi.h"
#include "harness/run/capture.h"
#include "harness/run/error.h"
#include "harness/run/results_folder.h"

namespace gridlock::cli {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// "2 x Intel(R) Xeon(R) …"
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string model;
  for (std::string line; model.empty() && std::getline(file, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  return fmt::format("{} x {}", std::thread::hardware_concurrency(),
                     model.empty() ? "unknown processor" : model);
}

void add_gpu(report::Context& context, int ranks) {
  run::Captured answer;
  try {
    answer =
        run::capture({"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"},
                     run::kDescribeLimit);
  } catch (const run::MachineError&) {
    return;  // no nvidia-smi: results then say nothing of the GPU
  }
  const std::string first = answer.output.substr(0, answer.output.find('\n'));
  const auto comma = first.rfind(", ");
  if (comma == std::string::npos) return;
  const auto gpus = std::count(answer.output.begin(), answer.output.end(), '\n');
  context.gpu = fmt::format("{} x {}", gpus, first.substr(0, comma));
  context.driver = first.substr(comma + 2);
  context.shared_gpu = gpus < ranks;
  if (context.shared_gpu) context.transport = "net/socket";
}

}  // namespace

report::Context make_context(const std::string& backend, std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  report::Context context;
  context.date = run::utc_now();
  context.host = host_name();
  context.backend = backend;
  context.ranks = ranks;
  context.compiler = kCompiler;
  context.commit = kCommit;
  if (*kCommit != '\0') context.dirty = kDirty;
  context.cpu = processor();
  context.mpi = mpi_version();
  if (backend == "sim") context.transport = "shared memory";
  if (backend == "cuda") add_gpu(context, ranks.empty() ? 1 : ranks.back());
  return context;
}

std::string nccl_version_text(int version) {
  if (version <= 0) return {};
  // Before 2.9 the number had one digit less.
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version < 10000 ? version / 100 % 10 : version / 100 % 100;
  return fmt::format("{}.{}.{}", major, minor, version % 100);
}

}  // namespace gridlock::cli
