// The collectives, sends and receives. The host checks the arguments here; the rest happens on the
// stream.
#include <cstdlib>
#include <limits>

#include "sim/nccl/api/export.h"
#include "sim/nccl/api/handle.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/collectives/group.h"

namespace sim::nccl {
namespace {

constexpr ncclRedOp_t kNoReduction = ncclSum;
constexpr int kNoRoot = 0;

bool checks_pointers() {
  static const bool wanted = [] {
    const char* text = std::getenv("NCCL_CHECK_POINTERS");
    return text != nullptr && std::strtoll(text, nullptr, 0) != 0;  // as NCCL reads it
  }();
  return wanted;
}

// The arguments of a call, before they are checked.
struct Arguments {
  const char* name;
  const void* send;
  void* receive;
  std::size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int root;  // or peer
  ncclComm_t comm;
  cudaStream_t stream;
  bool needs_send = true;     // this rank reads `send`
  bool needs_receive = true;  // this rank writes `receive`
};

ncclResult_t check_reduction(const Arguments& arguments, Communicator& c, Call* call) {
  const int op = arguments.op;
  if (op >= 0 && op < ncclNumOps) return ncclSuccess;
  const std::lock_guard lock(c.issue_mutex());
  const Factor* const made = c.operator_of(arguments.op);
  if (made == nullptr) {
    return fail(ncclInvalidArgument, "%s: reduction %d does not exist on this communicator",
                arguments.name, op);
  }
  call->factor = *made;
  if (call->factor.type != arguments.type) {
    return fail(ncclInvalidArgument, "%s: reduction %d was made for another data type",
                arguments.name, op);
  }
  call->op = ncclSum;
  call->scaled = true;
  return ncclSuccess;
}

ncclResult_t check(const Arguments& arguments, Communicator& c, Call* call) {
  const char* name = arguments.name;
  const std::size_t size = size_of(arguments.type);
  if (size == 0) {
    return fail(ncclInvalidArgument, "%s: data type %d does not exist", name, arguments.type);
  }
  if (arguments.root < 0 || arguments.root >= c.ranks()) {
    return fail(ncclInvalidArgument, "%s: rank %d is not in a communicator of %d ranks", name,
                arguments.root, c.ranks());
  }
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / kMaxRanks;
  if (arguments.count > kMost / size) {
    return fail(ncclInvalidArgument, "%s: %zu elements are too many", name, arguments.count);
  }
  // Otherwise a wrong pointer is the device's business, as in NCCL.
  const bool some = arguments.count > 0 && checks_pointers();
  if (some && arguments.needs_send) {
    const ncclResult_t given = require(arguments.send, name, "sendbuff");
    if (given != ncclSuccess) return given;
  }
  if (some && arguments.needs_receive) {
    const ncclResult_t given = require(arguments.receive, name, "recvbuff");
    if (given != ncclSuccess) return given;
  }
  call->send = arguments.send;
  call->receive = arguments.receive;
  call->bytes = arguments.count * size;
  call->type = arguments.type;
  call->op = arguments.op;
  call->root = arguments.root;
  return check_reduction(arguments, c, call);
}

enum class Sides { kBoth, kRootSends, kRootReceives };

ncclResult_t collective(Kind kind, Sides sides, Arguments arguments) {
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find_ready(arguments.comm, arguments.name, &c);
  if (found != ncclSuccess) return note(found);
  const bool root = arguments.root == c->rank();
  arguments.needs_send = sides != Sides::kRootSends || root;
  arguments.needs_receive = sides != Sides::kRootReceives || root;
  Call call{.kind = kind};
  const ncclResult_t checked = check(arguments, *c, &call);
  if (checked != ncclSuccess) return note(checked);
  if (call.bytes == 0) return ncclSuccess;  // as in NCCL, an empty collective does nothing
  return note(submit(c, call, arguments.stream));
}

ncclResult_t message(bool sends, Arguments arguments) {
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find_ready(arguments.comm, arguments.name, &c);
  if (found != ncclSuccess) return note(found);
  arguments.needs_send = sends;
  arguments.needs_receive = !sends;
  Call call{.message = true, .sends = sends};
  const ncclResult_t checked = check(arguments, *c, &call);
  if (checked != ncclSuccess) return note(checked);
  return note(submit(c, call, arguments.stream));
}

}  // namespace
}  // namespace sim::nccl

using namespace sim::nccl;

ncclResult_t pncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return collective(Kind::kAllReduce, Sides::kBoth,
                    {"ncclAllReduce", send, receive, count, type, op, kNoRoot, comm, stream});
}
SIM_NCCL_EXPORT(ncclAllReduce);

ncclResult_t pncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type,
                            int root, ncclComm_t comm, cudaStream_t stream) {
  return collective(
      Kind::kBroadcast, Sides::kRootSends,
      {"ncclBroadcast", send, receive, count, type, kNoReduction, root, comm, stream});
}
SIM_NCCL_EXPORT(ncclBroadcast);

ncclResult_t pncclBcast(void* data, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return pncclBroadcast(data, data, count, type, root, comm, stream);
}
SIM_NCCL_EXPORT(ncclBcast);

ncclResult_t pncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                         ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return collective(Kind::kReduce, Sides::kRootReceives,
                    {"ncclReduce", send, receive, count, type, op, root, comm, stream});
}
SIM_NCCL_EXPORT(ncclReduce);

ncclResult_t pncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                            ncclComm_t comm, cudaStream_t stream) {
  return collective(
      Kind::kAllGather, Sides::kBoth,
      {"ncclAllGather", send, receive, count, type, kNoReduction, kNoRoot, comm, stream});
}
SIM_NCCL_EXPORT(ncclAllGather);

ncclResult_t pncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                                ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return collective(Kind::kReduceScatter, Sides::kBoth,
                    {"ncclReduceScatter", send, receive, count, type, op, kNoRoot, comm, stream});
}
SIM_NCCL_EXPORT(ncclReduceScatter);

ncclResult_t pncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return collective(
      Kind::kAllToAll, Sides::kBoth,
      {"ncclAlltoAll", send, receive, count, type, kNoReduction, kNoRoot, comm, stream});
}
SIM_NCCL_EXPORT(ncclAlltoAll);

ncclResult_t pncclGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  return collective(Kind::kGather, Sides::kRootReceives,
                    {"ncclGather", send, receive, count, type, kNoReduction, root, comm, stream});
}
SIM_NCCL_EXPORT(ncclGather);

ncclResult_t pncclScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                          int root, ncclComm_t comm, cudaStream_t stream) {
  return collective(Kind::kScatter, Sides::kRootSends,
                    {"ncclScatter", send, receive, count, type, kNoReduction, root, comm, stream});
}
SIM_NCCL_EXPORT(ncclScatter);

ncclResult_t pncclSend(const void* send, size_t count, ncclDataType_t type, int peer,
                       ncclComm_t comm, cudaStream_t stream) {
  return message(true, {"ncclSend", send, nullptr, count, type, kNoReduction, peer, comm, stream});
}
SIM_NCCL_EXPORT(ncclSend);

ncclResult_t pncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                       cudaStream_t stream) {
  return message(false,
                 {"ncclRecv", nullptr, receive, count, type, kNoReduction, peer, comm, stream});
}
SIM_NCCL_EXPORT(ncclRecv);
