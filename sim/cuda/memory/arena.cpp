// One sparse memfd. The lower part is device memory, the upper part pinned and internal host
// memory, so an address alone shows which of the two it is.
#include "sim/cuda/interface/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/settings.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/heap.h"
#include "sim/cuda/memory/visible.h"

namespace sim {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kArenaBytes = 64 * kGiB;
constexpr std::size_t kSmallestArena = kGiB;
// Freed memory of at least this size goes back to the system. Smaller pieces are kept, so that the
// next allocation causes no page faults.
constexpr std::size_t kReturnedBytes = std::size_t{1} << 20;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "gridlock-sim: cannot make the memory of the simulated devices: %s: %s\n",
               what, std::strerror(errno));
  std::abort();
}

ArenaInfo make_arena() {
  refuse_after_fork();
  const int fd = memfd_create("gridlock-sim-arena", MFD_CLOEXEC);
  if (fd < 0) give_up("memfd_create");
  // Address space may be limited (ulimit -v), so this tries smaller sizes.
  for (std::size_t size = std::max(kArenaBytes, 4 * settings().memory); size >= kSmallestArena;
       size /= 2) {
    if (ftruncate(fd, static_cast<off_t>(size)) != 0) continue;
    void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (base != MAP_FAILED) return {fd, static_cast<std::byte*>(base), size};
  }
  give_up("mmap");
}

std::size_t device_part() { return arena().size / 4 * 3; }

// Never destroyed, because streams may still run while the process exits.
struct ArenaBook {
  std::mutex mutex;
  Heap device{0, device_part()};
  Heap host{device_part(), arena().size - device_part()};
  std::map<std::size_t, Allocation> live;  // by offset
  std::vector<std::size_t> used =
      std::vector<std::size_t>(static_cast<std::size_t>(settings().devices));

  Heap& heap(Space space) { return space == Space::kDevice ? device : host; }
  void drop(std::map<std::size_t, Allocation>::iterator entry);
};

ArenaBook& arena_book() {
  static ArenaBook& value = *new ArenaBook;
  return value;
}

std::size_t offset_of(const void* pointer) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - arena().base);
}

void return_pages(std::size_t offset, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = (offset + page - 1) / page * page;
  const std::size_t end = (offset + bytes) / page * page;
  if (end <= begin || end - begin < kReturnedBytes) return;
  // If this fails, the memory only stays in use.
  static_cast<void>(fallocate(arena().fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(begin), static_cast<off_t>(end - begin)));
}

void ArenaBook::drop(std::map<std::size_t, Allocation>::iterator entry) {
  const auto& [offset, allocation] = *entry;
  if (allocation.space != Space::kInternal) visible().remove(allocation.base);
  return_pages(offset, allocation.bytes);
  if (allocation.space == Space::kDevice) {
    used[static_cast<std::size_t>(allocation.device)] -= Heap::rounded(allocation.bytes);
  }
  heap(allocation.space).free(offset, allocation.bytes);
  live.erase(entry);
}

}  // namespace

const ArenaInfo& arena() {
  static const ArenaInfo value = make_arena();
  return value;
}

bool in_arena(const void* pointer) {
  const auto* byte = static_cast<const std::byte*>(pointer);
  return byte >= arena().base && byte < arena().base + arena().size;
}

bool in_device_memory(const void* pointer) {
  return in_arena(pointer) && offset_of(pointer) < device_part();
}

bool in_pinned_memory(const void* pointer) {
  return in_arena(pointer) && offset_of(pointer) >= device_part();
}

void* allocate(std::size_t bytes, int device, Space space, unsigned int flags) {
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  if (space == Space::kDevice) {
    const std::size_t limit = settings().memory;
    const std::size_t used = books.used[static_cast<std::size_t>(device)];
    if (bytes > limit || Heap::rounded(bytes) > limit - used) return nullptr;
  }
  const auto offset = books.heap(space).allocate(bytes);
  if (!offset) return nullptr;
  if (space == Space::kDevice) {
    books.used[static_cast<std::size_t>(device)] += Heap::rounded(bytes);
  }
  void* base = arena().base + *offset;
  books.live.emplace(*offset, Allocation{base, bytes, device, space, flags});
  // A GPU lets a kernel read to the end of the rounded allocation, and NCCL's LL128 does so.
  if (space != Space::kInternal) visible().add(base, Heap::rounded(bytes));
  return base;
}

bool release(void* base, Space space) {
  if (!in_arena(base)) return false;
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  const auto entry = books.live.find(offset_of(base));
  if (entry == books.live.end() || entry->second.space != space) return false;
  books.drop(entry);
  return true;
}

void serve_again(void* base, std::size_t bytes) {
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  const auto entry = books.live.find(offset_of(base));
  if (entry == books.live.end()) return;
  entry->second.bytes = bytes;
  visible().add(base, Heap::rounded(bytes));
}

bool find_allocation(const void* pointer, Allocation& found) {
  if (!in_arena(pointer)) return false;
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  const std::size_t offset = offset_of(pointer);
  auto entry = books.live.upper_bound(offset);
  if (entry == books.live.begin()) return false;
  --entry;
  if (offset - entry->first >= std::max<std::size_t>(entry->second.bytes, 1)) return false;
  found = entry->second;
  return true;
}

void release_device(int device) {
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  for (auto entry = books.live.begin(); entry != books.live.end();) {
    const auto current = entry++;
    const Allocation& allocation = current->second;
    if (allocation.device == device && allocation.space == Space::kDevice) books.drop(current);
  }
}

bool take(std::size_t bytes, int device) {
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  std::size_t& used = books.used[static_cast<std::size_t>(device)];
  if (bytes > settings().memory || bytes > settings().memory - used) return false;
  used += bytes;
  return true;
}

void give_back(std::size_t bytes, int device) {
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  books.used[static_cast<std::size_t>(device)] -= bytes;
}

std::size_t memory_used(int device) {
  ArenaBook& books = arena_book();
  const std::lock_guard lock(books.mutex);
  return books.used[static_cast<std::size_t>(device)];
}

bool take_memory(int device, std::size_t bytes) { return take(bytes, device); }
void give_memory_back(int device, std::size_t bytes) { give_back(bytes, device); }

void* arena_allocate(std::size_t bytes) { return allocate(bytes, 0, Space::kInternal); }

void arena_free(void* pointer) {
  if (pointer != nullptr) release(pointer, Space::kInternal);
}

}  // namespace sim
