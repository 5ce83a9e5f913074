// Where a lane's address leads: to bytes of the host, or to a fault.
//
// Orders. A kernel's blocks run in one host thread. Other threads and processes meet it in global
// memory. There, every load acquires and every store releases, whatever the instruction asks for.
// On x86 both are plain moves: the processor keeps loads in order and stores in order, and the
// compiler moves nothing across these. On ARM they are ldapr/ldar and stlr. LL and LL128 need that:
// data and flag are stored by ascending lanes and loaded by descending ones, so a reader that has
// seen the flag in the last lane loads the data after it. A load may still pass an earlier store
// (x86: the store buffer; ARM: ldapr). PTX forbids that with fence.sc and membar, which are full
// fences here too, and with atomics, which are sequentially consistent.
//
// Sizes. Accesses up to 8 bytes are single, through C++'s atomics. 16 bytes are one aligned SSE
// move, which is single on processors with AVX (and, as ldp/stp, on all ARM with LSE2). Elsewhere
// they are two accesses of 8 bytes, ascending, each ordered as above. LL needs no more.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstring>

#include "sim/ptx/operations/rows.h"
#include "sim/ptx/state/address.h"

namespace sim::ptx {

void fail(Warp& w, const Instruction& i, FaultKind kind, unsigned lane, std::uint64_t address = 0,
          std::string detail = {});

// Looks up the range and remembers it. Null (and a fault) if there is none.
std::byte* locate_global(Warp& w, const Instruction& i, unsigned lane, std::uint64_t address,
                         unsigned bytes, bool write);
// Chooses the space by the window that the address lies in.
std::byte* locate_generic(Warp& w, const Instruction& i, unsigned lane, std::uint64_t address,
                          unsigned bytes, bool write);

inline Memory::Range& remembered(Warp& w, const Instruction& i) {
  return w
      .remembered[(reinterpret_cast<std::uintptr_t>(&i) / sizeof(Instruction)) % Warp::kRemembered];
}

inline std::byte* within(Warp& w, const Instruction& i, unsigned lane, std::byte* first,
                         std::uint64_t room, std::uint64_t address, unsigned bytes) {
  if (address <= room && room - address >= bytes) [[likely]]
    return first + address;
  fail(w, i, FaultKind::kIllegalAddress, lane, address);
  return nullptr;
}

template <Space kSpace>
inline std::byte* locate(Warp& w, const Instruction& i, unsigned lane, std::uint64_t address,
                         unsigned bytes, bool write) {
  if ((address & (bytes - 1)) != 0) [[unlikely]] {
    fail(w, i, FaultKind::kMisalignedAddress, lane, address);
    return nullptr;
  }
  if constexpr (kSpace == Space::kShared) {
    if ((i.flags & 0x80) != 0) address &= 0xffffffffU;
    return within(w, i, lane, w.block->shared, w.block->shared_bytes, address, bytes);
  } else if constexpr (kSpace == Space::kLocal) {
    return within(w, i, lane, w.local + std::size_t{lane} * w.local_bytes, w.local_bytes, address,
                  bytes);
  } else if constexpr (kSpace == Space::kParam) {
    const Launched& launched = *w.block->launched;
    return within(w, i, lane, const_cast<std::byte*>(launched.parameters),
                  write ? 0 : launched.parameter_bytes, address, bytes);
  } else {
    const Memory::Range& range = remembered(w, i);
    const std::uint64_t at = address - range.begin;
    if (at < range.bytes && range.bytes - at >= bytes && (range.writable || !write)) [[likely]] {
      return at_address(address);
    }
    return kSpace == Space::kGlobal ? locate_global(w, i, lane, address, bytes, write)
                                    : locate_generic(w, i, lane, address, bytes, write);
  }
}

// The address of a lane: a row and an offset. Rows of 32 bits are addresses of shared memory.
inline std::uint64_t address_of(Warp& w, const Instruction& i, Row base, unsigned lane) {
  const auto offset = static_cast<std::uint64_t>(i.value);
  if ((i.flags & 0x80) != 0) return (row<std::uint32_t>(w, base)[lane] + offset) & 0xffffffffU;
  return row<std::uint64_t>(w, base)[lane] + offset;
}

// Whether all lanes' addresses are aligned and lie in one known range. Then lane l's bytes are at
// `origin` + address, and no lane needs its own lookup.
template <Space kSpace>
inline bool all_within(Warp& w, const Instruction& i, Row base, unsigned bytes, bool write,
                       std::uintptr_t& origin) {
  if constexpr (kSpace == Space::kLocal || kSpace == Space::kParam) {
    return false;
  } else {
    if ((i.flags & 0x80) != 0) return false;
    const auto* address = row<std::uint64_t>(w, base);
    const auto offset = static_cast<std::uint64_t>(i.value);
    std::uint64_t least = ~0ULL;
    std::uint64_t most = 0;
    std::uint64_t bits = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
      const std::uint64_t at = address[l] + offset;
      least = at < least ? at : least;
      most = at > most ? at : most;
      bits |= at;
    }
    if ((bits & (bytes - 1)) != 0) return false;
    if constexpr (kSpace == Space::kShared) {
      origin = reinterpret_cast<std::uintptr_t>(w.block->shared);
      return most < w.block->shared_bytes && w.block->shared_bytes - most >= bytes;
    } else {
      origin = 0;
      const Memory::Range& range = remembered(w, i);
      if (least < range.begin || (write && !range.writable)) return false;
      const std::uint64_t last = most - range.begin;
      return last < range.bytes && range.bytes - last >= bytes;
    }
  }
}

struct alignas(16) Quad {
  std::uint64_t low = 0, high = 0;
};

template <class T>
inline T load(const std::byte* from) {
  return __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE);
}
template <>
inline Quad load<Quad>(const std::byte* from) {
#if defined(__SSE2__)
  Quad q;
  _mm_store_si128(reinterpret_cast<__m128i*>(&q),
                  _mm_load_si128(reinterpret_cast<const __m128i*>(from)));
  __atomic_signal_fence(__ATOMIC_ACQ_REL);
  return q;
#else
  const auto high = load<std::uint64_t>(from + 8);
  return {load<std::uint64_t>(from), high};
#endif
}
template <class T>
inline void store(std::byte* to, T value) {
  __atomic_store_n(reinterpret_cast<T*>(to), value, __ATOMIC_RELEASE);
}
template <>
inline void store<Quad>(std::byte* to, Quad value) {
#if defined(__SSE2__)
  __atomic_signal_fence(__ATOMIC_ACQ_REL);
  _mm_store_si128(reinterpret_cast<__m128i*>(to),
                  _mm_load_si128(reinterpret_cast<const __m128i*>(&value)));
#else
  store<std::uint64_t>(to, value.low);
  store<std::uint64_t>(to + 8, value.high);
#endif
}

// Tells the scheduler what a strong load saw. Seeing the same again without doing anything is a
// spin.
inline void saw(Warp& w, std::uint64_t address, std::uint64_t value) {
  Group& group = *w.group;
  group.polled = true;
  group.seen = (group.seen ^ address ^ (value * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
}

}  // namespace sim::ptx
