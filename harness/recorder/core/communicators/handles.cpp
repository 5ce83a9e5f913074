// Which communicator a handle of NCCL stands for.
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/communicators/table.h"
#include "harness/recorder/core/fixed_map.h"

namespace gridlock::recorder {

using record::kNone;

namespace {

FixedMap<1024> g_index;  // handle -> index

}  // namespace

void name_communicator(std::uint32_t communicator, ncclComm_t handle) {
  if (communicator == kNone || handle == nullptr) return;
  forget_communicator(handle);
  g_index.set(key_of(handle), communicator);
  g_communicators[communicator].handle = key_of(handle);
}

void forget_communicator(ncclComm_t handle) {
  const auto* found = g_index.find(key_of(handle));
  if (found != nullptr) forget_communicator(handle, static_cast<std::uint32_t>(found->load()));
}

void forget_communicator(ncclComm_t handle, std::uint32_t index) {
  if (index == kNone) return;
  std::uint64_t key = key_of(handle);
  g_communicators[index].handle.compare_exchange_strong(key, 0);
  g_index.remove(key_of(handle), index);
}

ncclComm_t communicator_handle(std::uint32_t index) {
  const std::uint64_t handle = g_communicators[index].handle.load();
  return reinterpret_cast<ncclComm_t>(handle);  // NOLINT(performance-no-int-to-ptr)
}

std::uint32_t communicator_index(ncclComm_t handle) {
  const auto* found = handle == nullptr ? nullptr : g_index.find(key_of(handle));
  return found == nullptr ? kNone : static_cast<std::uint32_t>(found->load());
}

}  // namespace gridlock::recorder
