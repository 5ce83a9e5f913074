// One question to a helper that may hang, and CUDA's rules of which GPUs are visible.
#include "harness/run/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/run/capture.h"
#include "harness/run/error.h"

namespace gridlock::run {
namespace {

using Json = nlohmann::json;

constexpr int kNone = -1;

// Which GPU an entry of CUDA_VISIBLE_DEVICES names: by number, or by the beginning of its UUID.
int named(std::string_view entry, const std::vector<std::string>& uuids) {
  int number = kNone;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error == std::errc() && end == entry.data() + entry.size()) {
    return number >= 0 && number < static_cast<int>(uuids.size()) ? number : kNone;
  }
  int found = kNone;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (entry.size() <= std::string_view("GPU-").size() || !uuids[i].starts_with(entry)) continue;
    if (found != kNone) return kNone;  // ambiguous
    found = static_cast<int>(i);
  }
  return found;
}

// CUDA's rule: up to the first entry that names no GPU; one that is named twice leaves none.
//   Source  CUDA programming guide, CUDA_VISIBLE_DEVICES
std::vector<int> visible_gpus(const char* visible, const std::vector<std::string>& uuids) {
  std::vector<int> chosen;
  if (visible == nullptr) {
    for (std::size_t i = 0; i < uuids.size(); ++i) chosen.push_back(static_cast<int>(i));
    return chosen;
  }
  std::string_view rest = visible;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const int gpu = named(entry, uuids);
    if (gpu == kNone) break;
    if (std::count(chosen.begin(), chosen.end(), gpu) > 0) return {};
    chosen.push_back(gpu);
  }
  return chosen;
}

}  // namespace

Gpus parse_gpus(const std::string& text, const char* visible) {
  try {
    const Json json = Json::parse(text);
    Gpus gpus;
    gpus.driver = json.at("driver");
    gpus.cuda = json.at("cuda");
    gpus.fault = json.at("fault");
    gpus.is_broken = json.value("has_driver", false) && !gpus.fault.empty();
    std::vector<Gpu> all;
    std::vector<std::string> uuids;
    for (const Json& gpu : json.at("gpus")) {
      all.push_back({.name = gpu.at("name"),
                     .uuid = gpu.at("uuid"),
                     .serial = gpu.value("serial", std::string())});
      uuids.push_back(all.back().uuid);
    }
    const std::vector<int> usable = visible_gpus(visible, uuids);
    gpus.count = static_cast<int>(usable.size());
    for (const int index : usable) gpus.devices.push_back(all[static_cast<std::size_t>(index)]);
    if (!usable.empty()) {
      gpus.name = gpus.devices.front().name;
    } else if (gpus.fault.empty()) {
      gpus.fault = uuids.empty() ? "the NVIDIA driver knows no GPU"
                                 : fmt::format("CUDA_VISIBLE_DEVICES={} names none of the {} GPUs",
                                               visible, uuids.size());
    }
    return gpus;
  } catch (const Json::exception& error) {
    throw MachineError(fmt::format("gridlock_gpus gave no answer: {}", error.what()));
  }
}

Gpus find_gpus(const Installation& installation) {
  try {
    const Captured answer = capture({installation.gpus().string(), "list"}, kGpuLimit);
    if (answer.timed_out) {
      throw MachineError("the NVIDIA driver does not answer; `nvidia-smi` will hang too");
    }
    return parse_gpus(answer.output, std::getenv("CUDA_VISIBLE_DEVICES"));
  } catch (const MachineError& error) {
    Gpus none;
    none.fault = error.what();
    none.is_broken = true;
    return none;
  }
}

}  // namespace gridlock::run
