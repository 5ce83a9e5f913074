// One thread drives two devices and makes their NCCL calls one after the other.
//
// Lesson    A thread must not wait in one device's call before it has made the other devices'
//           calls. Between ncclGroupStart and ncclGroupEnd no call waits: all of them start
//           together at the end.
// Watch     Initialization always waits on the host, so it hangs at once. A collective usually does
//           not. It hangs if the loop waits for each device in turn. It also hangs if it is the
//           first collective, which makes the connections (NCCL's default); a warmed-up program
//           passes.
// Cure      Put a group around the calls for all devices. Or use one thread per device, or better
//           one process.
// In PyTorch
//     no PyTorch spelling: since all_reduce_multigpu went, a process drives one device. In NCCL:
//     for (Device& d : devices) ncclAllReduce(..., d.comm, d.stream);         // bug
//     ncclGroupStart();
//     for (Device& d : devices) ncclAllReduce(..., d.comm, d.stream);
//     ncclGroupEnd();                                                         // cure
// Seen in   pytorch#124363 (the group around init is needed where one thread manages several GPUs);
//           NVIDIA/nccl#774 (CUDA_LAUNCH_BLOCKING=1 makes every collective wait, and so hang)

#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kDevices = 2;  // of each process
constexpr int kCount = 256;

enum class Calls { one_by_one, grouped };

// One device of this process.
struct Device {
  int number = 0;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  Buffer<float> data = {};
  PinnedBuffer<float> host = {};
};

// Neighbouring devices, so that the processes of a job share the devices of the machine.
std::vector<Device> choose_devices(const Rank& rank) {
  const int available = device_count(kDevices, "one thread drives two devices");
  std::vector<Device> devices(kDevices);
  for (int at = 0; at < kDevices; ++at) {
    Device& device = devices[static_cast<std::size_t>(at)];
    device.number = (rank.local_rank() * kDevices + at) % available;
    check(cudaSetDevice(device.number));
    device.stream = open_stream();
    device.data = Buffer<float>(kCount, device.stream);
    device.host = PinnedBuffer<float>(1);
  }
  return devices;
}

// Opens a communicator of this process's devices.
[[gnu::noinline]] void open_communicators(std::vector<Device>& devices, Calls calls) {
  const Label label("devices/init");
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "devices";
  if (calls == Calls::grouped) check(ncclGroupStart());
  for (int at = 0; at < kDevices; ++at) {
    Device& device = devices[static_cast<std::size_t>(at)];
    check(cudaSetDevice(device.number));
    check(ncclCommInitRankConfig(&device.communicator, kDevices, id, at, &config));
  }
  if (calls == Calls::grouped) check(ncclGroupEnd());
}

[[gnu::noinline]] void all_reduce(const std::vector<Device>& devices, Calls calls, bool waits) {
  const Label label("devices/all_reduce");
  for (const Device& device : devices) {
    check(cudaSetDevice(device.number));
    check(kernels::launch_fill(device.data.data(), kCount, 1, device.stream));
  }
  if (calls == Calls::grouped) check(ncclGroupStart());
  for (const Device& device : devices) {
    check(cudaSetDevice(device.number));
    check(ncclAllReduce(device.data.data(), device.data.data(), kCount, ncclFloat32, ncclSum,
                        device.communicator, device.stream));
    if (waits) check(cudaStreamSynchronize(device.stream));
  }
  if (calls == Calls::grouped) check(ncclGroupEnd());
}

void train(Rank& rank, Calls init, Calls collective, bool waits = false) {
  std::vector<Device> devices = choose_devices(rank);
  open_communicators(devices, init);
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    all_reduce(devices, collective, waits);
    for (const Device& device : devices) {
      check(cudaSetDevice(device.number));
      check(cudaMemcpyAsync(device.host.data(), device.data.data(), sizeof(float),
                            cudaMemcpyDeviceToHost, device.stream));
      rank.wait_for(device.stream);
      rank.report().numbers(device.host[0] == kDevices, "a sum of ones, exact");
    }
    rank.report().step_done();
  }
}

void grouped(Rank& rank) { train(rank, Calls::grouped, Calls::grouped); }

void init_one_by_one(Rank& rank) {
  train(rank, Calls::one_by_one, Calls::grouped);  // BUG: the first init waits for the second
}

void waits_for_each_device(Rank& rank) {
  train(rank, Calls::grouped, Calls::one_by_one, true);  // BUG: waits for one device too early
}

void first_use_one_by_one(Rank& rank) {
  train(rank, Calls::grouped, Calls::one_by_one);  // BUG: the first call connects to the second
}

void first_use_grouped(Rank& rank) {
  train(rank, Calls::grouped, Calls::grouped);  // FIX: both calls connect at once
}

// If connections exist already, a collective does not make the host wait.
void connected_one_by_one(Rank& rank) { train(rank, Calls::grouped, Calls::one_by_one); }

Expectation waits_for_itself(int ranks, Cause cause, const char* label, Operation operation,
                             const char* function) {
  return deadlock(cause)
      .culprits(all_ranks(ranks))
      .waiting(all_ranks(ranks), {label, operation, "devices", std::nullopt, function});
}

// With several processes, an init might wait for any of them.
Expectation init_waits(int ranks) {
  return waits_for_itself(ranks, ranks == 1 ? Cause::self : Cause::init, "devices/init",
                          Operation::comm_init, "open_communicators");
}
Expectation collective_waits(int ranks) {
  return waits_for_itself(ranks, Cause::self, "devices/all_reduce", Operation::all_reduce,
                          "all_reduce");
}

// Up to 2.23.4, NCCL connects in the call only on devices that NICs can read (ncclIsCuMemSupported
// in src/misc/cudawrap.cc); simulated ones cannot be.
Expectation first_collective_waits(int ranks) {
  return collective_waits(ranks).before(NCCL_VERSION(2, 25, 1), completes());
}

// The first collective connects on the host. This is NCCL's default.
constexpr FixedList<Setting, 2> kLazy{{"NCCL_RUNTIME_CONNECT", "1"},
                                      {"GRIDLOCK_SIM_LAZY_CONNECT", "1"}};
// Init makes them.
constexpr FixedList<Setting, 2> kConnected{{"NCCL_RUNTIME_CONNECT", "0"},
                                           {"GRIDLOCK_SIM_LAZY_CONNECT", "0"}};

constexpr Variant kVariants[] = {
    Variant{"connected_one_by_one", control,
            "collectives one by one on connected devices, which passes", connected_one_by_one,
            all_well, 1}
        .with(kConnected),
    {"init_one_by_one", broken, "the loop initialises one communicator after the other",
     init_one_by_one, init_waits, 1},
    {"waits_for_each_device", broken, "the loop waits for each device before it calls for the next",
     waits_for_each_device, collective_waits, 1},
    Variant{"first_use_one_by_one", broken,
            "the first collective, one by one, makes the connections", first_use_one_by_one,
            first_collective_waits, 1}
        .with(kLazy),
    Variant{"first_use_grouped", fix, "the first collective in a group", first_use_grouped,
            all_well, 1}
        .with(kLazy),
    {"grouped", fix, "a group at init and at each collective", grouped, all_well, 1},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one thread drives several devices and calls NCCL for them one by one",
    .ranks = 1,
    .variants = kVariants,
};
