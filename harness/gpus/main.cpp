// gridlock_gpus: asks the NVIDIA driver, so that no other part of the harness has to.
//
//   gridlock_gpus list             one JSON object: driver, cuda, the gpus that CUDA shows here,
//                                  the number of all, CUDA_VISIBLE_DEVICES as visible, fault
//   gridlock_gpus sample MS        one JSON array of loads every MS milliseconds, until the reader
//                                  has gone
//
// A driver that hangs blocks only this process, and the agent kills it.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "harness/gpus/nvml.h"
#include "harness/gpus/visible.h"

namespace {

using Json = nlohmann::ordered_json;
using gridlock::gpus::Nvml;

enum Exit { kAnswered = 0, kFailed = 1, kWrongUsage = 2 };

bool print(const Json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

Json json_of(const gridlock::gpus::Load& load) {
  Json processes = Json::array();
  for (const auto& process : load.processes) {
    processes.push_back({{"pid", process.pid},
                         {"memory_mib", process.memory_mib ? Json(*process.memory_mib) : Json()},
                         {"sm_percent", process.sm_percent ? Json(*process.sm_percent) : Json()}});
  }
  return {{"gpu_percent", load.gpu_percent},
          {"memory_percent", load.memory_percent},
          {"memory_mib", load.memory_mib},
          {"processes", processes}};
}

int list() {
  const Nvml nvml;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  Json gpus = Json::array();
  for (const auto& gpu : gridlock::gpus::visible(visible, nvml.gpus())) {
    gpus.push_back({{"name", gpu.name},
                    {"uuid", gpu.uuid},
                    {"serial", gpu.serial},
                    {"memory_mib", gpu.memory_mib}});
  }
  print({{"driver", nvml.driver()},
         {"cuda", nvml.cuda()},
         {"gpus", gpus},
         {"all", nvml.gpus().size()},
         {"visible", visible == nullptr ? Json() : Json(visible)},
         {"has_driver", nvml.has_driver()},
         {"fault", nvml.fault()}});
  return kAnswered;
}

int sample(unsigned int milliseconds) {
  const Nvml nvml;
  if (!nvml.fault().empty()) return kAnswered;
  while (true) {
    Json loads = Json::array();
    for (std::size_t index = 0; index < nvml.gpus().size(); ++index) {
      const auto load = nvml.load(index);
      loads.push_back(load ? json_of(*load) : Json());
    }
    if (!print(loads)) return kAnswered;
    usleep(milliseconds * 1000);
  }
}

int answer(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (argc == 2 && command == "list") return list();
  if (argc == 3 && command == "sample") {
    const std::string_view text = argv[2];
    unsigned int milliseconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    constexpr unsigned int kMost = 10000;
    if (error == std::errc() && end == text.data() + text.size() && milliseconds > 0 &&
        milliseconds <= kMost) {
      return sample(milliseconds);
    }
  }
  std::fprintf(stderr, "usage: gridlock_gpus list | gridlock_gpus sample MILLISECONDS\n");
  return kWrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return answer(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gridlock_gpus: %s\n", error.what());
    return kFailed;
  }
}
