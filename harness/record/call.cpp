// What each call and each result is called, and which kind a call is.
#include <array>

#include "harness/record/snapshot.h"

namespace gridlock::record {
namespace {

constexpr std::array kNames = {
    std::string_view("none"),
    std::string_view("all_reduce"),
    std::string_view("broadcast"),
    std::string_view("reduce"),
    std::string_view("all_gather"),
    std::string_view("reduce_scatter"),
    std::string_view("all_to_all"),
    std::string_view("gather"),
    std::string_view("scatter"),
    std::string_view("send"),
    std::string_view("recv"),
    std::string_view("event_wait"),
    std::string_view("host_function"),
    std::string_view("graph_launch"),
    std::string_view("legacy_work"),
    std::string_view("device_synchronize"),
    std::string_view("stream_synchronize"),
    std::string_view("event_synchronize"),
    std::string_view("memcpy_sync"),
    std::string_view("device_malloc"),
    std::string_view("device_free"),
    std::string_view("host_malloc"),
    std::string_view("comm_init"),
    std::string_view("comm_split"),
    std::string_view("comm_shrink"),
    std::string_view("comm_finalize"),
    std::string_view("comm_destroy"),
    std::string_view("comm_abort"),
    std::string_view("group_end"),
};
// In the order of ncclResult_t.
constexpr std::array kResults = {
    std::string_view("ncclSuccess"),         std::string_view("ncclUnhandledCudaError"),
    std::string_view("ncclSystemError"),     std::string_view("ncclInternalError"),
    std::string_view("ncclInvalidArgument"), std::string_view("ncclInvalidUsage"),
    std::string_view("ncclRemoteError"),     std::string_view("ncclInProgress"),
    std::string_view("ncclTimeout"),
};
static_assert(kNames.size() == static_cast<std::size_t>(Call::group_end) + 1);

}  // namespace

std::string_view to_string(Call call) {
  const auto index = static_cast<std::size_t>(call);
  return index < kNames.size() ? kNames[index] : std::string_view("unknown");
}

std::string_view name_of_result(std::uint8_t result) {
  if (result == kSimulated) return "simulated only";
  return result < kResults.size() ? kResults[result] : std::string_view("an unknown error");
}

bool is_collective(Call call) { return call >= Call::all_reduce && call <= Call::scatter; }

bool is_message(Call call) { return call == Call::send || call == Call::recv; }

}  // namespace gridlock::record
