// Decides from the back end and its settings.
#include "harness/recorder/core/communicators/connects.h"

#include <cstdlib>
#include <string_view>

#include "harness/record/snapshot.h"
#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {
namespace {

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

constexpr int kConnectsLazily = 22200;  // NCCL 2.22

// 0: not known.
int version_of_nccl() {
  GRIDLOCK_LOOKUP static constinit Nccl<int(int*)> get("ncclGetVersion");
  int version = 0;
  if (auto* function = get.get(); function == nullptr || function(&version) != 0) return 0;
  return version;
}

struct Found {
  Connects collectives;
  Connects messages;
};

Found find_out() {
  if (backend() == kSimulated) {
    const bool lazy = setting("GRIDLOCK_SIM_LAZY_CONNECT") == "1";
    const Connects simulated = lazy ? Connects::at_first : Connects::never;
    return {.collectives = simulated, .messages = simulated};
  }
  // Before 2.22, and without virtual memory calls, all connections are made at init. An unknown
  // version may be any.
  const int version = version_of_nccl();
  const bool early = setting("NCCL_RUNTIME_CONNECT") == "0" ||
                     setting("NCCL_CUMEM_ENABLE") == "0" ||
                     (version != 0 && version < kConnectsLazily);
  return {.collectives = early ? Connects::never : Connects::at_each_kind,
          .messages = Connects::at_each_kind};
}

bool is_made_of_messages(record::Call call) {
  using record::Call;
  return record::is_message(call) || call == Call::all_to_all || call == Call::gather ||
         call == Call::scatter;
}

}  // namespace

Connects connects(record::Call call) {
  static const Found found = find_out();
  return is_made_of_messages(call) ? found.messages : found.collectives;
}

}  // namespace gridlock::recorder
