// Copies the loader's list into the box.
#include "harness/recorder/core/process/modules.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

// Only one thread at a time adds entries, because dl_iterate_phdr holds the loader's lock. A lock
// of our own around it could deadlock with that lock, under which a library's constructors run.
std::atomic<std::uint32_t> g_count{0};
// How many modules the loader had ever added at the last look. An outdated number only costs
// another look.
std::atomic<unsigned long long> g_adds{0};

bool known(const record::ModuleEntry& entry) {
  const record::Box& box = writer().box();
  const std::uint32_t count = g_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (box.modules[i].begin == entry.begin &&
        std::strncmp(box.modules[i].path, entry.path, sizeof entry.path) == 0) {
      return true;
    }
  }
  return false;
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  if (info->dlpi_adds == g_adds.load(std::memory_order_relaxed)) return 1;
  *static_cast<unsigned long long*>(argument) = info->dlpi_adds;
  record::ModuleEntry entry;
  entry.bias = info->dlpi_addr;
  entry.begin = ~std::uint64_t{0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    entry.begin = std::min(entry.begin, begin);
    entry.end = std::max(entry.end, begin + segment.p_memsz);
  }
  if (entry.end == 0) return 0;
  if (info->dlpi_name[0] != '\0') {
    std::strncpy(entry.path, info->dlpi_name, sizeof entry.path - 1);
  } else if (readlink("/proc/self/exe", entry.path, sizeof entry.path - 1) < 0) {
    return 0;
  }
  if (known(entry)) return 0;
  const std::uint32_t count = g_count.load(std::memory_order_relaxed);
  if (count == record::kModules) {
    __atomic_fetch_add(&writer().box().header.lost_modules, 1, __ATOMIC_RELAXED);
    return 0;
  }
  writer().put(count, entry);
  g_count.store(count + 1, std::memory_order_release);
  return 0;
}

}  // namespace

void refresh_modules() {
  unsigned long long adds = g_adds.load(std::memory_order_relaxed);
  dl_iterate_phdr(visit, &adds);
  g_adds.store(adds, std::memory_order_relaxed);
}

}  // namespace gridlock::recorder
