// The names of calls and results, and the kind of each call.
#include <algorithm>
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
    std::string_view("mpi_barrier"),
    std::string_view("mpi_bcast"),
    std::string_view("mpi_reduce"),
    std::string_view("mpi_allreduce"),
    std::string_view("mpi_gather"),
    std::string_view("mpi_scatter"),
    std::string_view("mpi_allgather"),
    std::string_view("mpi_alltoall"),
    std::string_view("mpi_reduce_scatter"),
    std::string_view("mpi_scan"),
    std::string_view("mpi_exscan"),
    std::string_view("mpi_send"),
    std::string_view("mpi_ssend"),
    std::string_view("mpi_bsend"),
    std::string_view("mpi_recv"),
    std::string_view("mpi_probe"),
    std::string_view("mpi_got"),
    std::string_view("mpi_sendrecv"),
    std::string_view("mpi_wait"),
    std::string_view("mpi_waitall"),
    std::string_view("mpi_waitany"),
    std::string_view("mpi_init"),
    std::string_view("mpi_finalize"),
    std::string_view("mpi_comm_dup"),
    std::string_view("mpi_comm_split"),
    std::string_view("mpi_comm_create"),
    std::string_view("mpi_comm_free"),
    std::string_view("kernel_launch"),
    std::string_view("poll"),
};
// In the order of ncclResult_t.
constexpr std::array kResults = {
    std::string_view("ncclSuccess"),         std::string_view("ncclUnhandledCudaError"),
    std::string_view("ncclSystemError"),     std::string_view("ncclInternalError"),
    std::string_view("ncclInvalidArgument"), std::string_view("ncclInvalidUsage"),
    std::string_view("ncclRemoteError"),     std::string_view("ncclInProgress"),
    std::string_view("ncclTimeout"),
};
static_assert(kNames.size() == static_cast<std::size_t>(kLastCall) + 1);

}  // namespace

std::string_view to_string(Call call) {
  const auto index = static_cast<std::size_t>(call);
  return index < kNames.size() ? kNames[index] : std::string_view("unknown");
}

std::string_view name_of_result(std::uint8_t result) {
  if (result == kSimulated) return "simulated only";
  return result < kResults.size() ? kResults[result] : std::string_view("an unknown error");
}

bool Snapshot::mpi_was_given_up() const {
  return mpi.starts_with(kNotRecorded) &&
         std::any_of(communicators.begin(), communicators.end(),
                     [](const Communicator& communicator) { return communicator.mpi; });
}

bool sends(Call call) {
  return call == Call::send || (call >= Call::mpi_send && call <= Call::mpi_bsend);
}

}  // namespace gridlock::record
