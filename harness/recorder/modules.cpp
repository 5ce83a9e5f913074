// Copies the loader's list into the box.
#include "harness/recorder/modules.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "harness/recorder/recorder.h"

namespace gridlock::recorder {
namespace {

// Entries are added by one thread at a time: dl_iterate_phdr holds the loader's lock.
unsigned long long g_adds = 0;
std::uint32_t g_count = 0;

bool known(const record::ModuleEntry& entry) {
  const record::Box& box = writer().box();
  for (std::uint32_t i = 0; i < g_count; ++i) {
    if (box.modules[i].begin == entry.begin &&
        std::strncmp(box.modules[i].path, entry.path, sizeof entry.path) == 0) {
      return true;
    }
  }
  return false;
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  if (info->dlpi_adds == g_adds) return 1;
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
  if (g_count == record::kModules) {
    __atomic_fetch_add(&writer().box().header.lost_modules, 1, __ATOMIC_RELAXED);
    return 0;
  }
  writer().put(g_count++, entry);
  return 0;
}

}  // namespace

void refresh_modules() {
  unsigned long long adds = g_adds;
  dl_iterate_phdr(visit, &adds);
  g_adds = adds;
}

}  // namespace gridlock::recorder
