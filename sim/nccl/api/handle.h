// What an ncclComm_t points to, and the checks of arguments that all calls share.
#pragma once

#include <nccl.h>

#include <memory>

#include "sim/nccl/members/communicator.h"

namespace sim::nccl {

// Makes a handle. It is never freed, so that a use after destroy is an error and not a crash.
ncclComm_t make_handle(std::shared_ptr<Communicator> communicator);

// The communicator behind `handle`.
//   Errors   ncclInvalidArgument if it is null, not a handle, or destroyed or aborted
ncclResult_t find(ncclComm_t handle, const char* call, std::shared_ptr<Communicator>* communicator);

// Like `find`, but the communicator must also be ready for work.
//   Errors   its asynchronous error; ncclInvalidArgument while something is in progress on it;
//            ncclInvalidUsage after revoke
ncclResult_t find_ready(ncclComm_t handle, const char* call,
                        std::shared_ptr<Communicator>* communicator);

// What `call` returns while something is in progress on its communicator: ncclInvalidArgument.
ncclResult_t refuse_in_progress(const char* call);

// Invalidates the handle.
void close_handle(ncclComm_t handle);

// `pointer` must not be null.
ncclResult_t require(const void* pointer, const char* call, const char* argument);

// Reads `config`, which may be null. Fields that it leaves undefined come from `inherited`.
//   Errors   ncclInvalidArgument
ncclResult_t read_config(const ncclConfig_t* config, const Identity& inherited, Identity* identity);

}  // namespace sim::nccl
