// Makes memory files and maps them.
#include "harness/run/start/boxes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "harness/base/error.h"
#include "harness/record/reader.h"

namespace gridlock::run {
namespace {

bool is_free(int descriptor) { return fcntl(descriptor, F_GETFD) < 0; }

// The first of `count` consecutive unused descriptors from `least` on.
int free_descriptors(int count, int least) {
  int base = least;
  for (int i = 0; i < count; ++i) {
    if (!is_free(base + i)) {
      base += i + 1;
      i = -1;
    }
  }
  return base;
}

// An empty memory file at the free descriptor `wanted`; if that fails, not open, and errno is set.
FileDescriptor make_box(int wanted) {
  FileDescriptor made(memfd_create("gridlock-box", MFD_CLOEXEC));
  // If all lower descriptors are in use, the file already has the wanted one.
  if (!made.is_open() || made.get() == wanted) return made;
  return FileDescriptor(fcntl(made.get(), F_DUPFD_CLOEXEC, wanted));
}

}  // namespace

Boxes::Boxes(int ranks, int first_local) : mappings_(static_cast<std::size_t>(ranks)) {
  constexpr int kFirst = 64;
  // Ranks count from LOCAL_RANK 0, so that rank must have a descriptor number too, even an unused
  // one.
  const int base = free_descriptors(ranks, kFirst + first_local);
  base_ = base - first_local;
  for (int rank = 0; rank < ranks; ++rank) {
    const FileDescriptor& box = files_.emplace_back(make_box(base + rank));
    if (!box.is_open()) {
      throw machine_error(fmt::format("cannot make the black box of rank {}; raise `ulimit -n` or "
                                      "start fewer ranks",
                                      rank),
                          errno);
    }
    if (ftruncate(box.get(), static_cast<off_t>(record::file_size())) != 0) {
      throw machine_error("no memory for the black boxes", errno);
    }
    if (box.get() != base + rank) {
      throw MachineError("the descriptors of the black boxes are not consecutive");
    }
  }
}

Boxes::~Boxes() {
  for (const Mapping& mapping : mappings_) {
    // munmap needs a non-const pointer; we only read this memory.
    if (mapping.size > 0) munmap(const_cast<std::byte*>(mapping.begin), mapping.size);
  }
}

std::string Boxes::address(int first) const {
  return fmt::format("/proc/{}/fd:{}", getpid(), base_ + first);
}

std::span<const std::byte> Boxes::bytes(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  Mapping& mapping = mappings_[index];
  struct stat status {};
  if (mapping.size == 0 && fstat(files_[index].get(), &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* begin = mmap(nullptr, size, PROT_READ, MAP_SHARED, files_[index].get(), 0);
    if (begin == MAP_FAILED) throw machine_error("cannot map a black box", errno);
    mapping = {.begin = static_cast<const std::byte*>(begin), .size = size};
  }
  return record::current_box({mapping.begin, mapping.size});
}

}  // namespace gridlock::run
