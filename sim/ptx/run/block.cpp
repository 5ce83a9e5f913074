// Allocates a block's memory once, and resets it for each block that runs in it.
#include "sim/ptx/run/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "sim/ptx/state/special.h"

namespace sim::ptx {
namespace {

std::uint32_t warps_of(const Launched& launched) {
  return (launched.block[0] * launched.block[1] * launched.block[2] + kLanes - 1) / kLanes;
}

template <class T, class F>
void set_row(Warp& warp, Special special, F&& value) {
  auto* row = reinterpret_cast<T*>(warp.special[static_cast<std::size_t>(special)].data());
  for (unsigned l = 0; l < kLanes; ++l) row[l] = static_cast<T>(value(l));
}

}  // namespace

Pages::Pages(std::size_t bytes) : data_(nullptr), bytes_(std::max<std::size_t>(bytes, 4096)) {
  void* pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(pages);
}
Pages::~Pages() { munmap(data_, bytes_); }

ResidentBlock::ResidentBlock(Launched& launched, std::uint32_t shared_bytes,
                             std::uint32_t local_bytes)
    : launched_(launched),
      threads_(launched.block[0] * launched.block[1] * launched.block[2]),
      local_bytes_(local_bytes),
      registers_(std::size_t{warps_of(launched)} * kRegisterBytes),
      local_(std::size_t{warps_of(launched)} * kLanes * local_bytes),
      shared_(shared_bytes) {
  block_.launched = &launched;
  block_.shared = shared_.data();
  block_.shared_bytes = shared_bytes;
}

void ResidentBlock::begin(std::uint64_t number) {
  const std::uint32_t* grid = launched_.grid;
  block_.index[0] = static_cast<std::uint32_t>(number % grid[0]);
  block_.index[1] = static_cast<std::uint32_t>(number / grid[0] % grid[1]);
  block_.index[2] = static_cast<std::uint32_t>(number / grid[0] / grid[1]);
  for (Barrier& barrier : block_.barriers) barrier.used = false;
  const std::uint32_t count = warps_of(launched_);
  block_.warps.clear();
  block_.alive = count;
  for (unsigned n = 0; n < count; ++n) begin_warp(n);
}

void ResidentBlock::begin_warp(unsigned number) {
  auto warp = std::make_unique<Warp>();
  const std::uint32_t lanes = std::min(threads_ - number * kLanes, kLanes);
  warp->block = &block_;
  warp->number = number;
  warp->alive = lanes == kLanes ? kAllLanes : (1U << lanes) - 1;
  warp->registers = registers_.data() + std::size_t{number} * kRegisterBytes;
  warp->local_bytes = local_bytes_;
  warp->local = local_.data() + std::size_t{number} * kLanes * local_bytes_;
  warp->base[static_cast<int>(Base::kSpecial)] = warp->special.front().data();
  set_specials(*warp);
  auto frame = std::make_shared<Frame>();
  frame->function = launched_.kernel;
  auto group = std::make_unique<Group>();
  group->lanes = warp->alive;
  group->frame = std::move(frame);
  group->next = launched_.kernel->code.data();
  warp->groups.push_back(std::move(group));
  block_.warps.push_back(std::move(warp));
}

void ResidentBlock::set_specials(Warp& warp) const {
  using enum Special;
  const std::uint32_t* size = launched_.block;
  const auto thread = [&](unsigned l) { return warp.number * kLanes + l; };
  const auto same = [&](Special special, std::uint64_t value) {
    set_row<std::uint32_t>(warp, special, [&](unsigned) { return value; });
  };
  set_row<std::uint32_t>(warp, kTidX, [&](unsigned l) { return thread(l) % size[0]; });
  set_row<std::uint32_t>(warp, kTidY, [&](unsigned l) { return thread(l) / size[0] % size[1]; });
  set_row<std::uint32_t>(warp, kTidZ, [&](unsigned l) { return thread(l) / size[0] / size[1]; });
  for (unsigned k = 0; k < 3; ++k) {
    const auto of = [k](Special first) {
      return static_cast<Special>(static_cast<unsigned>(first) + k);
    };
    same(of(kNtidX), size[k]);
    same(of(kCtaidX), block_.index[k]);
    same(of(kNctaidX), launched_.grid[k]);
  }
  set_row<std::uint32_t>(warp, kLaneid, [](unsigned l) { return l; });
  same(kWarpid, warp.number);
  same(kNwarpid, warps_of(launched_));
  same(kSmid, block_.index[0]);
  same(kNsmid, launched_.grid[0]);
  set_row<std::uint64_t>(warp, kGridid, [&](unsigned) { return launched_.number; });
  set_row<std::uint32_t>(warp, kLanemaskEq, [](unsigned l) { return 1U << l; });
  set_row<std::uint32_t>(warp, kLanemaskLt, [](unsigned l) { return (1U << l) - 1; });
  set_row<std::uint32_t>(warp, kLanemaskLe, [](unsigned l) { return (2U << l) - 1; });
  set_row<std::uint32_t>(warp, kLanemaskGt, [](unsigned l) { return ~((2U << l) - 1); });
  set_row<std::uint32_t>(warp, kLanemaskGe, [](unsigned l) { return ~((1U << l) - 1); });
  same(kDynamicSmem, launched_.dynamic_shared);
  same(kTotalSmem, block_.shared_bytes);
  same(kWarpSize, kLanes);
}

}  // namespace sim::ptx
