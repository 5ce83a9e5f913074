// Handles and argument checks.
#include "sim/nccl/api/handle.h"

#include <deque>

#include "sim/nccl/api/log.h"

namespace {
constexpr std::uint64_t kAlive = 0x636f'6d6d'616c'6976;
}

struct ncclComm {
  std::uint64_t magic = kAlive;
  std::mutex mutex;
  std::shared_ptr<sim::nccl::Communicator> communicator;
};

namespace sim::nccl {

ncclComm_t make_handle(std::shared_ptr<Communicator> communicator) {
  static std::mutex mutex;
  static std::deque<ncclComm>* const handles = new std::deque<ncclComm>;
  const std::lock_guard lock(mutex);
  ncclComm& handle = handles->emplace_back();
  handle.communicator = std::move(communicator);
  return &handle;
}

ncclResult_t find(ncclComm_t handle, const char* call,
                  std::shared_ptr<Communicator>* communicator) {
  if (handle == nullptr) return fail(ncclInvalidArgument, "%s: the communicator is null", call);
  if (handle->magic != kAlive) {
    return fail(ncclInvalidArgument, "%s: the handle is no communicator", call);
  }
  const std::lock_guard lock(handle->mutex);
  if (handle->communicator == nullptr) {
    return fail(ncclInvalidArgument, "%s: the communicator was destroyed or aborted before", call);
  }
  *communicator = handle->communicator;
  return ncclSuccess;
}

ncclResult_t find_ready(ncclComm_t handle, const char* call,
                        std::shared_ptr<Communicator>* communicator) {
  if (const ncclResult_t found = find(handle, call, communicator); found != ncclSuccess) {
    return found;
  }
  const Communicator& c = **communicator;
  if (c.revoked()) return fail(ncclInvalidUsage, "%s: the communicator was revoked", call);
  const ncclResult_t state = c.state();
  if (state == ncclInProgress) return refuse_in_progress(call);
  if (state != ncclSuccess) {
    return fail(state, "%s: the communicator has failed before: %s", call,
                ncclGetErrorString(state));
  }
  return ncclSuccess;
}

ncclResult_t refuse_in_progress(const char* call) {
  return fail(ncclInvalidArgument,
              "%s: the communicator is not ready; poll ncclCommGetAsyncError until it is", call);
}

void close_handle(ncclComm_t handle) {
  std::shared_ptr<Communicator> last;
  const std::lock_guard lock(handle->mutex);
  last.swap(handle->communicator);
}

ncclResult_t require(const void* pointer, const char* call, const char* argument) {
  if (pointer != nullptr) return ncclSuccess;
  return fail(ncclInvalidArgument, "%s: %s is null", call, argument);
}

ncclResult_t read_config(const ncclConfig_t* config, const Identity& inherited,
                         Identity* identity) {
  identity->blocking = inherited.blocking;
  identity->name = inherited.name;
  if (config == nullptr) return ncclSuccess;
  constexpr ncclConfig_t kFresh = NCCL_CONFIG_INITIALIZER;
  if (config->magic != kFresh.magic || config->size < offsetof(ncclConfig_t, cgaClusterSize)) {
    return fail(ncclInvalidArgument, "the config was not made from NCCL_CONFIG_INITIALIZER");
  }
  if (config->blocking != NCCL_CONFIG_UNDEF_INT) {
    if (config->blocking != 0 && config->blocking != 1) {
      return fail(ncclInvalidArgument, "config.blocking is %d: give 0 or 1", config->blocking);
    }
    identity->blocking = config->blocking == 1;
  }
  const bool has_name = config->size >= offsetof(ncclConfig_t, commName) + sizeof config->commName;
  if (has_name && config->commName != nullptr) identity->name = config->commName;
  return ncclSuccess;
}

}  // namespace sim::nccl
