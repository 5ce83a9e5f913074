// /proc/<pid>/maps, and process_vm_readv.
#include "harness/run/look/kernel/address_space.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "harness/record/vendors.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

bool read_memory(std::int64_t pid, std::uint64_t address, std::span<std::byte> to) {
  const iovec here{.iov_base = to.data(), .iov_len = to.size()};
  // An address of another process.
  const iovec there{
      .iov_base = reinterpret_cast<void*>(address),  // NOLINT(performance-no-int-to-ptr)
      .iov_len = to.size()};
  return process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(to.size());
}

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostPages = 256;  // a sleeping thread's stack is seldom that deep

// The words from `address` on, at most of so many pages: up to the first page that cannot be read.
std::vector<std::uint64_t> words_of_pages(std::int64_t pid, std::uint64_t address,
                                          std::size_t pages) {
  std::vector<std::uint64_t> words(pages * kPage / sizeof(std::uint64_t));
  std::vector<iovec> there;
  std::uint64_t from = address;
  for (std::size_t page = 0; page < pages; ++page) {
    const std::uint64_t end = (from / kPage + 1) * kPage;
    there.push_back(
        {.iov_base = reinterpret_cast<void*>(from),  // NOLINT(performance-no-int-to-ptr)
         .iov_len = end - from});
    from = end;
  }
  const iovec here{.iov_base = words.data(), .iov_len = from - address};
  const ssize_t size =
      process_vm_readv(static_cast<pid_t>(pid), &here, 1, there.data(), there.size(), 0);
  words.resize(size < 0 ? 0 : static_cast<std::size_t>(size) / sizeof(std::uint64_t));
  return words;
}

// Whether the words hold what the kernel pushes when it calls a handler: behind the address to
// which the handler returns, three flags and, 23 words on, the segments, which never change.
bool has_handler(std::span<const std::uint64_t> words) {
  constexpr std::uint64_t kAllFlags = 7;
  constexpr std::size_t kSegments = 24;
  constexpr std::uint64_t kOfXen = 0xe000'0000'0000'e000;
  constexpr std::uint64_t kStackAndCode = 0x002b'0000'0000'0033;
  for (std::size_t i = 0; i + kSegments < words.size(); ++i) {
    if (words[i + 1] <= kAllFlags && (words[i + kSegments] & ~kOfXen) == kStackAndCode) return true;
  }
  return false;
}

}  // namespace

AddressSpace::AddressSpace(std::int64_t pid) : thread_(thread_that_shows(pid)) {}

const AddressSpace::Mappings& AddressSpace::mappings() const {
  if (mappings_) return *mappings_;
  Mappings& read = mappings_.emplace();
  std::ifstream maps(fmt::format("/proc/{}/maps", thread_));
  // "7f0c…-7f0c… r-xp 00000000 fe:00 1234 /usr/lib/libc.so.6"
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping;
    char* next = nullptr;
    mapping.begin = std::strtoull(line.c_str(), &next, 16);
    mapping.end = std::strtoull(next + 1, &next, 16);
    const std::string_view rights = std::string_view(next).substr(1, 4);
    const std::size_t path = line.find('/');
    // A page of a file that nobody may write to here is the file's own.
    mapping.is_private = rights.ends_with('p') && (rights[1] == 'w' || path == std::string::npos);
    if (rights.find('x') != std::string_view::npos && path != std::string::npos) {
      Code code{.begin = mapping.begin, .end = mapping.end, .path = line.substr(path)};
      mapping.is_vendors_code = record::may_be_vendors(code.path);
      std::sscanf(next, "%*s %lx %*x:%*x %lu", &code.offset, &code.inode);
      read.code.push_back(std::move(code));
    }
    read.has_ring |= line.find("[io_uring]") != std::string::npos;
    read.has_recorder |= line.find("/libgridlock_recorder") != std::string::npos;
    read.all.push_back(mapping);
  }
  return read;
}

const AddressSpace::Mapping* AddressSpace::find(std::uint64_t address) const {
  const std::vector<Mapping>& all = mappings().all;
  const auto behind =
      std::upper_bound(all.begin(), all.end(), address,
                       [](std::uint64_t at, const Mapping& mapping) { return at < mapping.begin; });
  if (behind == all.begin() || address >= std::prev(behind)->end) return nullptr;
  return &*std::prev(behind);
}

bool AddressSpace::is_private(std::uint64_t address) const {
  const Mapping* mapping = find(address);
  return mapping != nullptr && mapping->is_private;
}

bool AddressSpace::is_vendors_code(std::uint64_t address) const {
  const Mapping* code = find(address);
  return code != nullptr && code->is_vendors_code;
}

bool AddressSpace::follows_call(std::uint64_t address) const {
#if defined(__x86_64__)
  constexpr std::size_t kLongest = 7;
  std::array<std::uint8_t, kLongest> code{};
  if (!read_memory(thread_, address - kLongest, std::as_writable_bytes(std::span(code))))
    return true;
  const auto before = [&](std::size_t bytes) { return code[kLongest - bytes]; };
  // "call rel32"
  if (before(5) == 0xe8) return true;
  // "call r/m64", whose operand has 1, 2, 3, 5 or 6 bytes
  return std::ranges::any_of(std::array<std::size_t, 5>{2, 3, 4, 6, 7}, [&](std::size_t bytes) {
    return before(bytes) == 0xff && (before(bytes - 1) >> 3U & 7U) == 2;
  });
#else
  return address != 0;
#endif
}

bool AddressSpace::may_be_in_vendors_call(std::uint64_t stack, std::uint64_t instruction) const {
  if (mappings().all.empty()) return true;
  if (!has_vendors_code()) return false;
  const std::vector<std::uint64_t> words = words_from(stack);
  if (words.empty() || is_vendors_code(instruction)) return true;
  // Most stacks hold no such address, and calls take long to follow.
  if (!has_vendors_address(words)) return false;
  const auto calls = call_chain({.pointer = stack, .words = words}, instruction, mappings().code);
  if (!calls || has_vendors_address(calls->addresses)) return true;
  // If it runs a function that claims to be the first and is not, calls lie behind.
  const std::uint64_t followed = (calls->end - stack) / sizeof(std::uint64_t);
  return followed < words.size() && has_vendors_address(std::span(words).subspan(followed));
}

bool AddressSpace::has_vendors_address(std::span<const std::uint64_t> words) const {
  return std::ranges::any_of(
      words, [this](std::uint64_t word) { return is_vendors_code(word) && follows_call(word); });
}

bool AddressSpace::has_vendors_code() const {
  return std::ranges::any_of(mappings().all, &Mapping::is_vendors_code);
}

bool AddressSpace::may_be_in_handler(std::uint64_t stack) const {
  // Most stacks end near, and their mappings, which take the kernel long to write, are not needed.
  for (const std::size_t pages : {std::size_t{16}, kMostPages}) {
    const std::vector<std::uint64_t> words = words_of_pages(thread_, stack, pages);
    if (words.empty() || has_handler(words)) return true;
    if (words.size() * sizeof(std::uint64_t) <= (pages - 1) * kPage) return false;
  }
  return words_from(stack).empty();  // the stack is too deep, unless other memory follows it
}

std::vector<std::uint64_t> AddressSpace::words_from(std::uint64_t stack) const {
  const Mapping* mapping = find(stack);
  if (mapping == nullptr || mapping->end - stack > kMostPages * kPage) return {};
  std::vector<std::uint64_t> words((mapping->end - stack) / sizeof(std::uint64_t));
  if (!read_memory(thread_, stack, std::as_writable_bytes(std::span(words)))) return {};
  return words;
}

}  // namespace gridlock::run
