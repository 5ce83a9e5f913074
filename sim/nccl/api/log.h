// The simulation's messages: NCCL_DEBUG lines, and the sentence that ncclGetLastError returns.
#pragma once

#include <nccl.h>

namespace sim::nccl {

// One line "NCCL INFO ..." if NCCL_DEBUG is INFO or TRACE, to stdout or NCCL_DEBUG_FILE (%h host,
// %p process).
[[gnu::format(printf, 1, 2)]] void info(const char* format, ...);

// One line "NCCL WARN ..." if NCCL_DEBUG is WARN or higher.
[[gnu::format(printf, 1, 2)]] void warn(const char* format, ...);

// Like `warn`, and keeps the sentence as the last error. Returns `result`.
[[gnu::format(printf, 2, 3)]] ncclResult_t fail(ncclResult_t result, const char* format, ...);

// The calling thread's copy of the process's last error; valid until it asks again.
const char* last_error();

}  // namespace sim::nccl
