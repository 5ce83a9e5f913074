// Makes, finds and maps segments, and computes where each part of one lies.
#include "sim/nccl/members/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "sim/nccl/api/log.h"
#include "sim/nccl/members/process.h"

namespace sim::nccl {
namespace {

constexpr std::size_t kPage = 4096;

constexpr std::size_t up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::size_t inline_bytes_for(std::size_t ranks) {
  return std::clamp(kInlineSlotBytes / ranks / 64 * 64, std::size_t{64}, kInlineBytes);
}

struct Offsets {
  std::size_t bells = kPage;
  std::size_t counters;
  std::size_t members;
  std::size_t records;
  std::size_t inline_data;
  std::size_t channels;
  std::size_t end;

  explicit Offsets(std::size_t ranks)
      : counters(up(bells + ranks * sizeof(PaddedBell), kPage)),
        members(up(counters + kSlots * sizeof(SlotCounters), kPage)),
        records(up(members + ranks * sizeof(Member), kPage)),
        inline_data(up(records + kSlots * ranks * sizeof(Record), kPage)),
        channels(up(inline_data + kInlineSlots * ranks * inline_bytes_for(ranks), kPage)),
        end(up(channels + ranks * ranks * sizeof(Channel), kPage)) {}
};

static_assert(sizeof(Header) <= kPage);

// Segments of this process: the descriptors of those it made, the mappings of those it uses.
struct Registry {
  std::mutex mutex;
  std::map<std::uint64_t, int> made;
  std::map<std::uint64_t, std::weak_ptr<Segment>> mapped;
};

Registry& registry() {
  static Registry* const kept = new Registry;  // never destroyed: threads may outlive main
  return *kept;
}

// A forked child of the maker has the descriptor too, even when the maker is gone.
int open_segment(const SegmentId& id) {
  const int there = open_of(id.pid, static_cast<int>(id.descriptor), true);
  return there >= 0 ? there : open_of(getpid(), static_cast<int>(id.descriptor), true);
}

bool is_segment(int descriptor, const SegmentId& id) {
  std::array<std::uint64_t, 2> start{};
  return pread(descriptor, start.data(), sizeof start, 0) == sizeof start && start[0] == kMagic &&
         start[1] == id.token;
}

}  // namespace

ncclResult_t make_segment(SegmentId* id) {
  std::uint64_t token = 0;
  const int descriptor = memfd_create("gridlock-sim-communicator", MFD_CLOEXEC);
  if (descriptor < 0 || getrandom(&token, sizeof token, 0) != sizeof token ||
      ftruncate(descriptor, kPage) != 0) {
    return fail(ncclSystemError, "cannot make a communicator's segment: %s", std::strerror(errno));
  }
  const std::array<std::uint64_t, 2> start{kMagic, token};
  if (pwrite(descriptor, start.data(), sizeof start, 0) != sizeof start) {
    ::close(descriptor);
    return fail(ncclSystemError, "cannot write a communicator's segment: %s", std::strerror(errno));
  }
  *id = {kMagic, getpid(), descriptor, token, this_machine(), {}};
  gethostname(id->host.data(), id->host.size() - 1);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.made[token] = descriptor;
  return ncclSuccess;
}

void forget_segment(const SegmentId& id) {
  if (id.pid != getpid()) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.made.find(id.token);
  if (found == all.made.end()) return;
  ::close(found->second);
  all.made.erase(found);
}

ncclResult_t Segment::open(const SegmentId& id, int ranks, std::shared_ptr<Segment>* segment) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (auto known = all.mapped[id.token].lock(); known != nullptr && known->ranks() == ranks) {
    *segment = std::move(known);
    return ncclSuccess;
  }
  // Without a free descriptor, all that follows would look as if the maker were elsewhere.
  const int probe = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (probe < 0) {
    return fail(ncclSystemError, "cannot open the communicator's segment: %s",
                std::strerror(errno));
  }
  ::close(probe);
  if (id.machine != this_machine()) {
    return fail(ncclSystemError,
                "the unique id was made on another machine (host %.63s), or in another PID "
                "namespace: simulated ranks share the memory of one machine; run all of them "
                "there, or use the cuda back end",
                id.host.data());
  }
  const int descriptor = open_segment(id);
  if (descriptor < 0 || !is_segment(descriptor, id)) {
    if (descriptor >= 0) ::close(descriptor);
    return fail(ncclSystemError,
                "the process that made the unique id (pid %lld) is gone, or hides its files: keep "
                "it alive until all ranks have initialised",
                static_cast<long long>(id.pid));
  }
  // Ranks that agree on the number of ranks grow the file to the same size.
  const std::size_t bytes = size(ranks);
  struct stat status {};
  void* base = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && (static_cast<std::size_t>(status.st_size) >= bytes ||
                                          ftruncate(descriptor, static_cast<off_t>(bytes)) == 0)) {
    base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  }
  const int error = errno;
  ::close(descriptor);
  if (base == MAP_FAILED) {
    return fail(ncclSystemError, "cannot map a communicator's segment of %zu bytes: %s", bytes,
                std::strerror(error));
  }
  *segment = std::make_shared<Segment>(static_cast<std::byte*>(base), ranks);
  all.mapped[id.token] = *segment;
  return ncclSuccess;
}

Segment::~Segment() { munmap(base_, size(ranks_)); }

std::size_t Segment::size(int ranks) { return Offsets(static_cast<std::size_t>(ranks)).end; }

template <typename T>
T& Segment::at(std::size_t offset) const {
  return *reinterpret_cast<T*>(base_ + offset);
}

namespace {

std::size_t to_size(int rank) { return static_cast<std::size_t>(rank); }

}  // namespace

std::size_t Segment::inline_bytes() const { return inline_bytes_for(to_size(ranks_)); }

Header& Segment::header() const { return at<Header>(0); }

PaddedBell& Segment::bell(int rank) const {
  return at<PaddedBell>(Offsets(to_size(ranks_)).bells + to_size(rank) * sizeof(PaddedBell));
}

Member& Segment::member(int rank) const {
  return at<Member>(Offsets(to_size(ranks_)).members + to_size(rank) * sizeof(Member));
}

SlotCounters& Segment::counters(std::uint64_t number) const {
  return at<SlotCounters>(Offsets(to_size(ranks_)).counters +
                          number % kSlots * sizeof(SlotCounters));
}

Record& Segment::record(std::uint64_t number, int rank) const {
  const std::size_t place = number % kSlots * to_size(ranks_) + to_size(rank);
  return at<Record>(Offsets(to_size(ranks_)).records + place * sizeof(Record));
}

std::byte* Segment::inline_data(std::uint64_t number, int rank) const {
  const std::size_t place = number % kInlineSlots * to_size(ranks_) + to_size(rank);
  return base_ + Offsets(to_size(ranks_)).inline_data + place * inline_bytes();
}

Channel& Segment::channel(int from, int to) const {
  const std::size_t place = to_size(from) * to_size(ranks_) + to_size(to);
  return at<Channel>(Offsets(to_size(ranks_)).channels + place * sizeof(Channel));
}

void Segment::ring_host() const { ring(header().host); }

void Segment::ring_all(std::uint32_t reasons) const {
  for (int rank = 0; rank < ranks_; ++rank) ring_for(bell(rank), reasons);
}

void Segment::keep(std::vector<Staging> staging) {
  const std::lock_guard lock(mutex_);
  for (Staging& one : staging) kept_.push_back(std::move(one));
}

}  // namespace sim::nccl
