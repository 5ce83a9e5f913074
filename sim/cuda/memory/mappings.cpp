// All mappings of this process, by start address.
#include "sim/cuda/memory/mappings.h"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>

#include "sim/cuda/memory/visible.h"

namespace sim {
namespace {

// Never destroyed: streams may still run while the process exits.
struct MappingBook {
  std::mutex mutex;
  std::map<std::uintptr_t, Mapping> by_begin;
};

MappingBook& mapping_book() {
  static MappingBook& value = *new MappingBook;
  return value;
}

// A fast check for copies, because most programs have no mapping.
std::atomic<bool> any_mapping{false};

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Makes an accessible mapping visible to kernels.
void show(const Mapping& mapping) {
  if (mapping.access == 0) return;
  constexpr unsigned char kWritable = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
  visible().add(mapping.base, mapping.bytes, mapping.access == kWritable);
}

// REQUIRES: the book's mutex is held
const Mapping* at(std::uintptr_t where) {
  const auto next = mapping_book().by_begin.upper_bound(where);
  if (next == mapping_book().by_begin.begin()) return nullptr;
  const Mapping& mapping = std::prev(next)->second;
  return where - address(mapping.base) < mapping.bytes ? &mapping : nullptr;
}

}  // namespace

void add_mapping(const Mapping& mapping) {
  const std::lock_guard lock(mapping_book().mutex);
  mapping_book().by_begin.insert_or_assign(address(mapping.base), mapping);
  any_mapping.store(true);
  show(mapping);
}

bool remove_mapping(void* base) {
  const std::lock_guard lock(mapping_book().mutex);
  const bool known = mapping_book().by_begin.erase(address(base)) != 0;
  if (known) visible().remove(base);
  return known;
}

bool set_mapping_access(void* base, unsigned char access) {
  const std::lock_guard lock(mapping_book().mutex);
  const auto found = mapping_book().by_begin.find(address(base));
  if (found == mapping_book().by_begin.end()) return false;
  found->second.access = access;
  show(found->second);
  return true;
}

bool find_mapping(const void* pointer, Mapping& found) {
  if (!any_mapping.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mapping_book().mutex);
  const Mapping* mapping = at(address(pointer));
  if (mapping == nullptr) return false;
  found = *mapping;
  return true;
}

bool is_mapped(const void* pointer, std::size_t bytes) {
  const std::lock_guard lock(mapping_book().mutex);
  std::uintptr_t where = address(pointer);
  const std::uintptr_t end = where + bytes;
  while (where < end) {
    const Mapping* mapping = at(where);
    if (mapping == nullptr || mapping->access == 0) return false;
    where = address(mapping->base) + mapping->bytes;
  }
  return true;
}

}  // namespace sim
