// An NCCL that can only say how old it is.
#include <nccl.h>

ncclResult_t pncclGetVersion(int* version) {
  *version = NCCL_VERSION(2, 25, 1);
  return ncclSuccess;
}
ncclResult_t ncclGetVersion(int* version) { return pncclGetVersion(version); }
