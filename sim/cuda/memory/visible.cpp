// Never destroyed: kernels may still run while the process exits.
#include "sim/cuda/memory/visible.h"

#include <iterator>
#include <map>
#include <shared_mutex>

namespace sim {
namespace {

struct Table {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, Foreign> by_base;
};

Table& table() {
  static Table& value = *new Table;
  return value;
}

}  // namespace

ptx::Memory& visible() {
  static ptx::Memory& value = *new ptx::Memory;
  return value;
}

void add_foreign(const Foreign& memory) {
  {
    const std::lock_guard lock(table().mutex);
    table().by_base[reinterpret_cast<std::uintptr_t>(memory.base)] = memory;
  }
  visible().add(memory.base, memory.bytes);
}

void remove_foreign(void* base) {
  visible().remove(base);
  const std::lock_guard lock(table().mutex);
  table().by_base.erase(reinterpret_cast<std::uintptr_t>(base));
}

std::optional<Foreign> find_foreign(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::shared_lock lock(table().mutex);
  const auto next = table().by_base.upper_bound(address);
  if (next == table().by_base.begin()) return std::nullopt;
  const auto& [base, memory] = *std::prev(next);
  if (address - base >= memory.bytes) return std::nullopt;
  return memory;
}

}  // namespace sim
