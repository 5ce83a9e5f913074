// The error messages of check(call).
#include "scenarios/runtime/check.h"

#include <fmt/core.h>

#include <filesystem>
#include <string>

namespace gridlock {
namespace {

std::string place(SourceLocation where) {
  return fmt::format("{}:{} in {}", std::filesystem::path(where.file_name()).filename().string(),
                     where.line(), where.function_name());
}

std::string nccl_detail() {
  const char* detail = ncclGetLastError(nullptr);
  return detail == nullptr || *detail == '\0' ? "" : fmt::format(" ({})", detail);
}

}  // namespace

CudaError::CudaError(cudaError_t code_, SourceLocation where)
    : CallError(fmt::format("CUDA says \"{}\" ({}) at {}", cudaGetErrorString(code_),
                            cudaGetErrorName(code_), place(where))),
      code(code_) {}

NcclError::NcclError(ncclResult_t code_, SourceLocation where)
    : CallError(fmt::format("NCCL says \"{}\"{} at {}", ncclGetErrorString(code_), nccl_detail(),
                            place(where))),
      code(code_) {}

}  // namespace gridlock
