// Reads CUDA_VISIBLE_DEVICES entry by entry.
#include "harness/gpus/visible.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gridlock::gpus {
namespace {

constexpr int kNone = -1;
constexpr std::string_view kGpu = "GPU-";
constexpr std::string_view kInstance = "MIG-";

// Which GPU an entry names: by number, or by the beginning of its UUID.
int named(std::string_view entry, const std::vector<Gpu>& all) {
  int number = kNone;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error == std::errc() && end == entry.data() + entry.size()) {
    return number >= 0 && number < static_cast<int>(all.size()) ? number : kNone;
  }
  int found = kNone;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (entry.size() <= kGpu.size() || !all[i].uuid.starts_with(entry)) continue;
    if (found != kNone) return kNone;  // ambiguous
    found = static_cast<int>(i);
  }
  return found;
}

std::vector<Gpu> instance(std::string_view name, const std::vector<Gpu>& all) {
  if (all.empty() || name == kInstance) return {};
  Gpu gpu = all.front();
  const std::string_view rest = name.substr(kInstance.size());
  if (rest.starts_with(kGpu)) {
    const int parent = named(rest.substr(0, rest.find('/')), all);
    if (parent == kNone) return {};
    gpu = all[static_cast<std::size_t>(parent)];
  } else if (all.size() > 1) {
    gpu.serial.clear();
  }
  gpu.uuid = name;
  gpu.memory_mib = 0;  // not known: the instance has a part of the GPU's memory
  return {gpu};
}

}  // namespace

std::vector<Gpu> visible(const char* list, const std::vector<Gpu>& all) {
  if (list == nullptr) return all;
  std::string_view rest = list;
  if (rest.starts_with(kInstance)) return instance(rest.substr(0, rest.find(',')), all);
  std::vector<int> chosen;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const int gpu = named(entry, all);
    if (gpu == kNone) break;
    if (std::count(chosen.begin(), chosen.end(), gpu) > 0) return {};
    chosen.push_back(gpu);
  }
  std::vector<Gpu> gpus;
  gpus.reserve(chosen.size());
  for (const int index : chosen) gpus.push_back(all[static_cast<std::size_t>(index)]);
  return gpus;
}

}  // namespace gridlock::gpus
