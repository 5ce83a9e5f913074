// Reports damage, but treats an entry that is being written as normal.
#include "harness/record/reader.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/record/reading.h"

namespace gridlock::record {
namespace {

// "" when `size` bytes at `box` are a box that this reader understands.
std::string not_a_box(const Header& header, std::size_t size) {
  if (load_acquire(header.magic) != kMagic) return "this is not a black box of gridlock";
  if (header.version != kVersion) {
    return "the box has format " + std::to_string(header.version) + ", this program reads format " +
           std::to_string(kVersion) + ": use the recorder that came with it";
  }
  if (header.box_size != sizeof(Box) || size < sizeof(Box)) {
    return "the box is cut off: " + std::to_string(size) + " bytes of " +
           std::to_string(sizeof(Box));
  }
  return "";
}

std::string what_was_lost(const Header& header) {
  std::string lost;
  const auto add = [&lost](const std::uint32_t& count, const char* what) {
    if (load_relaxed(count) == 0) return;
    lost += (lost.empty() ? "" : ", ") + std::to_string(load_relaxed(count)) + " " + what;
  };
  add(header.lost_threads, "threads");
  add(header.lost_communicators, "communicators");
  add(header.lost_streams, "streams");
  return lost.empty() ? "" : "the box was too small, it lacks " + lost;
}

bool uses_streams(const Snapshot& snapshot) {
  return std::any_of(snapshot.streams.begin(), snapshot.streams.end(),
                     [](const Stream& stream) { return !stream.mpi && stream.enqueued > 0; });
}

}  // namespace

Snapshot read(const void* memory, std::size_t size, std::uint64_t since_index, Modules modules) {
  Snapshot snapshot;
  if (size == 0) return snapshot;
  if (size < sizeof(Header)) {
    snapshot.damage = "the box is cut off inside its header: " + std::to_string(size) + " bytes";
    return snapshot;
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % alignof(Box) != 0) {
    // A caller's buffer may have any alignment, unlike a mapping.
    const auto copy = std::make_unique<Box>();
    std::memcpy(copy.get(), memory, std::min(size, sizeof(Box)));
    return read(copy.get(), size, since_index, modules);
  }
  const Box& box = *static_cast<const Box*>(memory);
  if (load_acquire(box.header.magic) == 0) return snapshot;  // not claimed, or not published yet
  snapshot.damage = not_a_box(box.header, size);
  if (!snapshot.damage.empty()) return snapshot;

  snapshot.rank = box.header.rank;
  snapshot.world_size = box.header.world_size;
  snapshot.pid = load_acquire(box.header.pid);
  snapshot.claim = static_cast<std::uint64_t>(box.header.claimed_monotonic_ns);
  snapshot.program = box.header.program;
  snapshot.host = bounded(box.header.host, sizeof box.header.host);
  snapshot.backend = bounded(box.header.backend, sizeof box.header.backend);
  snapshot.nccl_version = load_relaxed(box.header.nccl_version);
  const Text<64> mpi = load_words(box.header.mpi);
  snapshot.mpi = bounded(mpi.bytes.data(), mpi.bytes.size());
  snapshot.initialised_ns = load_acquire(box.header.initialised_ns);
  snapshot.buffer_bytes = load_acquire(box.header.buffer_bytes);
  snapshot.polls = load_acquire(box.header.polls);  // before the progress words that a round writes
  snapshot.damage = what_was_lost(box.header);
  for (const std::int64_t& thread : box.library_threads) {
    if (const std::int64_t tid = load_relaxed(thread); tid != 0) {
      snapshot.library_threads.push_back(tid);
    }
  }
  snapshot.last_change_ns = std::max(box.header.claimed_monotonic_ns, snapshot.initialised_ns);

  // An operation may refer to a table entry that was added after the table was read: try again.
  constexpr int kTries = 3;
  const Snapshot start = snapshot;
  for (int i = 0; i < kTries; ++i) {
    snapshot = start;
    if (Reading(box, since_index, &snapshot).run()) break;
    if (i + 1 == kTries) snapshot.overrun = true;  // no proof from this one
  }
  // Read after the streams: a process that uses a stream has called CUDA before, if CUDA calls are
  // seen at all.
  snapshot.has_destructors = load_acquire(box.header.destructors) != 0;
  snapshot.cuda_unseen = uses_streams(snapshot) && load_acquire(box.header.cuda) == 0;
  if (modules == Modules::read) Reading(box, since_index, &snapshot).read_modules();
  return snapshot;
}

std::size_t file_size() { return kBoxesOfRank * sizeof(Box); }

std::span<const std::byte> current_box(std::span<const std::byte> file) {
  if (file.size() < file_size()) return file;
  const auto* boxes = reinterpret_cast<const Box*>(file.data());
  const bool is_taken_over = load_acquire(boxes[1].header.magic) == kMagic;
  return file.subspan(is_taken_over ? sizeof(Box) : 0, sizeof(Box));
}

}  // namespace gridlock::record
