// Reads GRIDLOCK_SIM_FAULT, and lets its faults strike when their kernels begin.
#include "sim/cuda/devices/faults.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "sim/cuda/devices/broken.h"
#include "sim/cuda/devices/settings.h"
#include "sim/cuda/interface/kernel.h"

namespace sim {
namespace {

using FaultKind = Fault::Kind;

struct FaultName {
  std::string_view text;
  FaultKind kind;
};
constexpr FaultName kFaultNames[] = {{"lost", FaultKind::kLost},
                                     {"illegal_address", FaultKind::kIllegalAddress},
                                     {"hang", FaultKind::kHang},
                                     {"slow", FaultKind::kSlow}};
constexpr std::string_view kAt = "@launch=";
constexpr double kMostFactor = 1000;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes the text up to `separator`, or all of it, off the front of `text`.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

// Returns what is wrong; nothing if `text` is a fault.
std::string parse_fault(std::string_view text, Fault& fault) {
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    const std::string_view when = text.substr(at);
    const auto launch =
        when.starts_with(kAt) ? number_in<std::uint64_t>(when.substr(kAt.size())) : std::nullopt;
    if (!launch || *launch == 0) return "after @ comes launch= and a number from 1 on";
    fault.launch = *launch;
    text = text.substr(0, at);
  }
  const std::string_view kind = take_part(text, ':');
  const auto* known = std::ranges::find(kFaultNames, kind, &FaultName::text);
  if (known == std::end(kFaultNames)) return "a fault is lost, illegal_address, hang or slow";
  fault.kind = known->kind;
  const std::string_view device = take_part(text, ':');
  const auto which = number_in<int>(device);
  if (device != "*" && (!which || *which < 0)) return "it needs a device: a number, or * for each";
  fault.device = device == "*" ? Fault::kEveryDevice : *which;
  const auto factor = number_in<double>(text);
  if (fault.kind != FaultKind::kSlow) return text.empty() ? "" : "only slow has a factor";
  if (!factor || !(*factor > 1 && *factor <= kMostFactor)) {
    return "slow needs a factor above 1, at most 1000, as in slow:1:10";
  }
  fault.factor = *factor;
  return "";
}

std::vector<Fault> read_faults() {
  const char* text = std::getenv("GRIDLOCK_SIM_FAULT");
  if (text == nullptr || *text == '\0') return {};
  std::string error;
  std::vector<Fault> faults = parse_faults(text, error);
  for (const Fault& fault : faults) {
    if (error.empty() && fault.device >= settings().devices) {
      error = "there is no device " + std::to_string(fault.device);
    }
  }
  if (error.empty()) return faults;
  std::fprintf(stderr, "gridlock-sim: GRIDLOCK_SIM_FAULT=%s: %s; no fault is injected.\n", text,
               error.c_str());
  return {};
}

// Read once, so a program without faults pays for one look at an empty list.
const std::vector<Fault>& faults() {
  static const auto& value = *new std::vector<Fault>(read_faults());
  return value;
}

bool is_on(const Fault& fault, int device) {
  return fault.device == Fault::kEveryDevice || fault.device == device;
}

struct LaunchCounts {
  std::mutex mutex;
  std::map<int, std::uint64_t> of_device;  // kernels begun so far; guarded by mutex
};

LaunchCounts& launch_counts() {
  static LaunchCounts& value = *new LaunchCounts;
  return value;
}

std::uint64_t count_launch(int device) {
  const std::lock_guard lock(launch_counts().mutex);
  return ++launch_counts().of_device[device];
}

// How many times as long as the others' the device's kernels last.
double slowness(int device) {
  const std::lock_guard lock(launch_counts().mutex);
  const std::uint64_t begun = launch_counts().of_device[device];
  double factor = 1;
  for (const Fault& fault : faults()) {
    const bool is_slow = fault.kind == FaultKind::kSlow && is_on(fault, device);
    if (is_slow && fault.launch <= begun) factor = std::max(factor, fault.factor);
  }
  return factor;
}

void say_fault(int device, const char* what, std::uint64_t launch) {
  std::fprintf(stderr, "gridlock-sim: device %d %s at launch %llu (GRIDLOCK_SIM_FAULT).\n", device,
               what, static_cast<unsigned long long>(launch));
}

// Blocks until the device breaks.
void never_end(int device) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop_when_broken(device), [] { return false; });
}

void strike(const Fault& fault, int device) {
  switch (fault.kind) {
    case FaultKind::kLost:
      say_fault(device, "is lost, as after Xid 79,", fault.launch);
      return lose_device(device, cudaErrorUnknown);
    case FaultKind::kIllegalAddress:
      say_fault(device, "reads an illegal address", fault.launch);
      return break_device(device, cudaErrorIllegalAddress);
    case FaultKind::kHang:
      say_fault(device, "runs a kernel that never ends", fault.launch);
      return never_end(device);
    case FaultKind::kSlow:
      return say_fault(device, "becomes slow", fault.launch);
  }
}

constexpr std::int64_t kSecond = 1'000'000'000;

// Of the calling thread. Waiting for a core, or for another rank, costs none.
std::int64_t processor_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

thread_local std::int64_t began_ns = 0;

}  // namespace

std::vector<Fault> parse_faults(std::string_view text, std::string& error) {
  std::vector<Fault> faults;
  while (!text.empty() && error.empty()) {
    const std::string_view one = take_part(text, ',');
    error = parse_fault(one, faults.emplace_back());
    if (!error.empty()) error.insert(0, "\"" + std::string(one) + "\" is no fault: ");
  }
  if (!error.empty()) faults.clear();
  return faults;
}

bool device_works(int device) { return broken(device) == cudaSuccess; }

std::stop_token until_broken(int device) { return stop_when_broken(device); }

bool kernel_begins(int device) {
  if (!device_works(device)) return false;
  if (faults().empty()) return true;
  const std::uint64_t launch = count_launch(device);
  for (const Fault& fault : faults()) {
    if (is_on(fault, device) && fault.launch == launch) strike(fault, device);
  }
  began_ns = processor_ns();
  return device_works(device);
}

void kernel_ends(int device) {
  if (faults().empty()) return;
  const double factor = slowness(device);
  if (factor == 1) return;
  const auto more =
      static_cast<std::int64_t>((factor - 1) * static_cast<double>(processor_ns() - began_ns));
  const timespec rest{.tv_sec = more / kSecond, .tv_nsec = more % kSecond};
  nanosleep(&rest, nullptr);
}

}  // namespace sim
