// Calls, shapes and places in words. Types and reductions follow NCCL's numbering.
#include "harness/detect/words/calls.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "harness/base/text.h"

namespace gridlock::detect {
namespace {

// As ncclDataType_t and ncclRedOp_t number them.
std::string type_text(std::uint8_t type) {
  constexpr std::array<std::string_view, 12> kNames = {
      "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
      "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
  return type < kNames.size() ? std::string(kNames[type]) : fmt::format("type {}", type);
}
std::string reduction_text(std::uint8_t reduction) {
  constexpr std::array<std::string_view, 5> kNames = {"sum", "product", "max", "min", "average"};
  return std::string(reduction < kNames.size() ? kNames[reduction] : "a reduction of its own");
}

// "1st", "2nd", "3rd", "11th".
std::string ordinal(int number) {
  const bool is_teen = number % 100 / 10 == 1;
  const int last = is_teen ? 0 : number % 10;
  return fmt::format("{}{}", number, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string other_side(record::Call call, const OtherSide& other) {
  if (!other.peer) return "";
  std::string text =
      *other.peer == record::kAnyPeer
          ? " from any rank"
          : fmt::format(" {} rank {}", record::sends(call) ? "to" : "from", *other.peer);
  if (!other.tag) return text;
  return text + (*other.tag == record::kAnyTag ? " with any tag"
                                               : fmt::format(" with tag {}", *other.tag));
}

}  // namespace

std::string call_text(record::Call call, std::uint64_t slot) {
  if (!record::is_communication(call)) return std::string(record::to_string(call));
  return fmt::format("{} #{}", record::to_string(call), slot);
}

std::string shape_text(const Shape& shape) {
  std::string details;
  // MPI ranks may pass different sizes; the two sides of a message must agree only in size.
  if (!record::is_mpi(shape.call)) {
    details += fmt::format(", {} bytes", shape.bytes);
    if (!record::is_message(shape.call)) details += " of " + type_text(shape.datatype);
    if (has_reduction(shape.call)) details += ", " + reduction_text(shape.reduction);
  }
  if (shape.root >= 0) details += fmt::format(", root {}", shape.root);
  const std::string call(record::to_string(shape.call));
  return details.empty() ? call : fmt::format("{} ({})", call, details.substr(2));
}

std::string communicator_text(const CommunicatorName& name) {
  if (!name.given.empty()) return on_one_line(name.given);
  if (name.size == 0) return "";
  const bool disagree = name.least != 0;
  if (disagree || name.ranks.size() < static_cast<std::size_t>(name.size)) {
    return fmt::format("a communicator of {}{} ranks, {} among them",
                       !disagree                     ? ""
                       : name.size - name.least == 1 ? fmt::format("{} or ", name.least)
                                                     : fmt::format("{} to ", name.least),
                       name.size, ranks_text(name.ranks));
  }
  const std::string which = name.number == 0 ? "" : ordinal(name.number) + " ";
  return fmt::format("the {}communicator of {}", which, ranks_text(name.ranks));
}

std::string place_text(const Place& place) {
  std::string text = call_text(place.call, place.slot) + other_side(place.call, place.other);
  text += quoted(place.label);
  const std::string communicator = communicator_text(place.communicator);
  if (!communicator.empty()) text += " on " + communicator;
  if (place.graphs > 0) {
    text += fmt::format(
        " until the rank destroys {} with calls of it",
        place.graphs == 1 ? "the CUDA graph" : fmt::format("{} CUDA graphs", place.graphs));
  }
  return text;
}

std::string place_text(const Wait& wait) {
  std::string text = call_text(wait.operation, wait.slot) + other_side(wait.operation, wait.other);
  text += quoted(wait.label);
  if (wait.communicator_id != 0) {
    const std::string nameless = communicator_text(wait.name);
    text += !wait.communicator.empty() ? fmt::format(" on {}", on_one_line(wait.communicator))
            : !nameless.empty()        ? fmt::format(" on {}", nameless)
                                : fmt::format(" on communicator {:#x}", wait.communicator_id);
  }
  if (!wait.caller.empty()) {
    text += fmt::format(" at {}", wait.caller);
  } else if (!wait.callers.empty() && !wait.callers.front().module.empty()) {
    text += fmt::format(" at {}+{:#x}", wait.callers.front().module, wait.callers.front().offset);
  }
  const bool in_host_call =
      wait.host_call != record::Call::none && wait.host_call != wait.operation;
  if (in_host_call) text += fmt::format(", host in {}", record::to_string(wait.host_call));
  return text;
}

}  // namespace gridlock::detect
