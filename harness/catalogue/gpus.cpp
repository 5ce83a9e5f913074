// Asks the helper gridlock_gpus, which may hang.
#include "harness/catalogue/gpus.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/processes/capture.h"

namespace gridlock::catalogue {
namespace {

using Json = nlohmann::json;

}  // namespace

Gpus parse_gpus(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Gpus gpus;
    gpus.driver = json.at("driver");
    gpus.cuda = json.at("cuda");
    gpus.fault = json.at("fault");
    gpus.is_broken = json.value("has_driver", false) && !gpus.fault.empty();
    for (const Json& gpu : json.at("gpus")) {
      gpus.devices.push_back({.name = gpu.at("name"),
                              .uuid = gpu.at("uuid"),
                              .serial = gpu.value("serial", std::string())});
    }
    gpus.count = static_cast<int>(gpus.devices.size());
    if (!gpus.devices.empty()) {
      gpus.name = gpus.devices.front().name;
    } else if (gpus.fault.empty()) {
      const int all = json.at("all");
      gpus.fault = all == 0 ? "the NVIDIA driver knows no GPU"
                            : fmt::format("CUDA_VISIBLE_DEVICES={} names none of the {} GPUs",
                                          json.at("visible").get<std::string>(), all);
    }
    return gpus;
  } catch (const Json::exception& error) {
    throw MachineError(fmt::format("gridlock_gpus gave no answer: {}", error.what()));
  }
}

Gpus find_gpus(const Installation& installation) {
  try {
    const processes::Captured answer =
        processes::capture({installation.gpus().string(), "list"}, kGpuLimit);
    if (answer.timed_out) {
      throw MachineError("the NVIDIA driver does not answer; `nvidia-smi` will hang too");
    }
    return parse_gpus(answer.output);
  } catch (const MachineError& error) {
    Gpus none;
    none.fault = error.what();
    none.is_broken = true;
    return none;
  }
}

}  // namespace gridlock::catalogue
