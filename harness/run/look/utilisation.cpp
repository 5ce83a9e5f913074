// Runs a helper that samples GPUs, and finds the ranks' processes on them by pid.
#include "harness/run/look/utilisation.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/limits.h"
#include "harness/processes/launch.h"
#include "harness/processes/output.h"
#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

using Json = nlohmann::json;

struct Figures {
  std::optional<double> percent;
  std::optional<double> memory_mib;
};

std::optional<double> number(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

Figures figures_of(const Json& loads, pid_t pid) {
  Figures figures;
  for (const Json& load : loads) {
    if (!load.is_object()) continue;
    const Json processes = load.value("processes", Json::array());
    for (const Json& process : processes) {
      if (process.value("pid", std::int64_t{0}) != pid) continue;
      figures.memory_mib = number(process, "memory_mib");
      figures.percent = number(process, "sm_percent");
      if (!figures.percent && processes.size() == 1) figures.percent = number(load, "gpu_percent");
    }
  }
  return figures;
}

// The last complete line.
std::string last_line(const std::string& text) {
  const auto end = text.rfind('\n');
  if (end == std::string::npos || end == 0) return {};
  const auto begin = text.rfind('\n', end - 1);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1));
}

}  // namespace

GpuFigures parse_loads(const std::string& line, const std::vector<pid_t>& pids) {
  const Json loads = Json::parse(line, nullptr, false);
  if (!loads.is_array()) return {};
  std::vector<double> percents;
  std::vector<double> memory;
  for (const pid_t pid : pids) {
    const Figures figures = figures_of(loads, pid);
    if (figures.percent) percents.push_back(*figures.percent);
    if (figures.memory_mib) memory.push_back(*figures.memory_mib);
  }
  GpuFigures all;
  if (!pids.empty() && percents.size() == pids.size()) all["gpu_utilisation_percent"] = percents;
  if (!pids.empty() && memory.size() == pids.size()) all["gpu_memory_mib"] = memory;
  return all;
}

GpuFigures watch_utilisation(const catalogue::Installation& installation,
                             const std::vector<pid_t>& pids) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + kUtilisationWatch;
  processes::Launch launch;
  launch.command = {installation.gpus().string(), "sample", "200"};
  launch.join_streams = false;
  try {
    const processes::Process process = processes::start(launch);
    std::string text;
    bool open = true;
    while (open && Clock::now() < deadline) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      pollfd wait{.fd = process.output.get(), .events = POLLIN, .revents = 0};
      poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
      open = processes::drain(process.output.get(), text);
    }
    kill(-process.pid, SIGKILL);
    pollfd ended{.fd = process.handle.get(), .events = POLLIN, .revents = 0};
    // If a hung driver holds it in the kernel, it is left for the end, when all descendants are
    // killed.
    poll(&ended, 1,
         static_cast<int>(
             std::chrono::duration_cast<std::chrono::milliseconds>(kUtilisationWatch).count()));
    processes::reap(process.pid);
    return parse_loads(last_line(text), pids);
  } catch (const MachineError&) {
    return {};
  }
}

}  // namespace gridlock::run
