// Finds the host bytes of an address, and reports faults.
#include "sim/ptx/operations/access.h"

namespace sim::ptx {

void fail(Warp& w, const Instruction& i, FaultKind kind, unsigned lane, std::uint64_t address,
          std::string detail) {
  w.stop = true;
  if (w.fault != nullptr) return;  // the first one counts
  const Function* function = w.group->frame->function;
  w.fault = std::make_unique<Fault>(Fault{kind, function,
                                          static_cast<std::uint32_t>(&i - function->code.data()),
                                          lane, address, std::move(detail)});
}

std::byte* locate_global(Warp& w, const Instruction& i, unsigned lane, std::uint64_t address,
                         unsigned bytes, bool write) {
  Memory::Range range = w.block->launched->memory->find(address);
  if (range.bytes == 0) range = w.block->launched->globals->find(address);
  const std::uint64_t at = address - range.begin;
  if (at < range.bytes && range.bytes - at >= bytes && (range.writable || !write)) {
    remembered(w, i) = range;
    return at_address(address);
  }
  fail(w, i, FaultKind::kIllegalAddress, lane, address);
  return nullptr;
}

std::byte* locate_generic(Warp& w, const Instruction& i, unsigned lane, std::uint64_t address,
                          unsigned bytes, bool write) {
  const std::uint64_t offset = address & ~kWindowMask;
  switch (address >> 63 == 0 ? 0 : address & kWindowMask) {
    case kSharedWindow:
      return locate<Space::kShared>(w, i, lane, offset, bytes, write);
    case kLocalWindow:
      return locate<Space::kLocal>(w, i, lane, offset, bytes, write);
    case kParamWindow:
      return locate<Space::kParam>(w, i, lane, offset, bytes, write);
    default:
      return locate_global(w, i, lane, address, bytes, write);
  }
}

}  // namespace sim::ptx
