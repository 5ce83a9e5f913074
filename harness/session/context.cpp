// Asks the system and the environment about the machine.
#include "harness/session/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "harness/run/start/gpu_environment.h"
#include "harness/session/commit.h"
#include "harness/session/mpi.h"
#include "harness/session/results/results_folder.h"

namespace gridlock::session {
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

const char* value_of(const char* name) { return std::getenv(name); }

}  // namespace

report::Context make_context(const std::string& backend, std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  report::Context context;
  context.date = utc_now();
  context.host = host_name();
  context.backend = backend;
  context.ranks = ranks;
  context.compiler = kCompiler;
  context.commit = kCommit;
  if (*kCommit != '\0') context.dirty = kDirty;
  context.cpu = processor();
  context.mpi = mpi_version();
  if (backend == "sim") context.transport = "shared memory";
  return context;
}

void set_backend(report::Context& context, const std::string& recorded) {
  context.backend = recorded == "cuda" ? "cuda" : "sim";
  if (context.backend == "sim") context.nccl_origin = recorded == "sim" ? "own" : "source";
}

void add_gpus(report::Context& context, const catalogue::Gpus& gpus, int nccl_version,
              int cuda_version) {
  context.gpu = fmt::format("{} x {}", gpus.count, gpus.name);
  context.driver = gpus.driver;
  context.cuda = cuda_version_text(cuda_version);
  context.nccl = nccl_version_text(nccl_version);
  const int ranks = context.ranks.empty() ? 1 : context.ranks.back();
  const run::GpuSet set{.count = gpus.count, .nccl_version = nccl_version};
  context.shared_gpu = run::is_shared(set, ranks);
  const run::Merged merged =
      run::merge_with_users(run::gpu_environment(set, ranks, 0, "", 0), value_of);
  context.environment = merged.kept;
  const bool by_socket =
      std::find(merged.added.begin(), merged.added.end(), "NCCL_NET=Socket") != merged.added.end();
  // If each rank has a GPU, or the user chose, only NCCL knows the transport.
  if (by_socket) context.transport = "net/socket";
}

void add_agents(report::Context& context, const run::Fellows* fellows) {
  if (fellows == nullptr) return;
  const std::vector<run::Fellows::Agent> agents = fellows->agents();
  context.agents.resize(agents.size());
  for (std::size_t i = 0; i < agents.size(); ++i) {
    context.agents[i].host = agents[i].host;
    context.agents[i].ranks = std::max(context.agents[i].ranks, agents[i].share.ranks);
  }
  const double error_us = static_cast<double>(fellows->clock_error().count()) / 1e3;
  context.clock_error_us = std::max(context.clock_error_us.value_or(0), error_us);
}

std::string cuda_version_text(int version) {
  if (version <= 0) return {};
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string nccl_version_text(int version) {
  if (version <= 0) return {};
  // Before 2.9, the number had one digit fewer.
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version < 10000 ? version / 100 % 10 : version / 100 % 100;
  return fmt::format("{}.{}.{}", major, minor, version % 100);
}

}  // namespace gridlock::session
