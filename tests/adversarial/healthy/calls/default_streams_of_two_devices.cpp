// Each of two processes drives two devices from one thread. Work on the legacy stream of the one
// device, and copies between the devices, stand between collectives on blocking streams of the
// other. Rank 1 comes only when told, on a blocking stream of the first device.
// Naive view: the legacy stream of a process orders all its blocking streams.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const int own = rank();
  const int other = rank() + 4;
  const cudaStream_t on_own = make_stream(cudaStreamDefault);
  float* x = device_floats();
  check(cudaSetDevice(other));
  ncclUniqueId id{};
  if (rank() == 0) check(ncclGetUniqueId(&id));
  check(cudaSetDevice(own));
  float* y = device_floats();
  check(cudaMemcpy(y, &id, sizeof id, cudaMemcpyHostToDevice));
  check(ncclBroadcast(y, y, sizeof id, ncclChar, 0, world, on_own));
  check(cudaStreamSynchronize(on_own));
  check(cudaMemcpy(&id, y, sizeof id, cudaMemcpyDeviceToHost));
  check(cudaSetDevice(other));
  ncclComm_t others = nullptr;
  check(ncclCommInitRank(&others, 2, id, rank()));
  const cudaStream_t on_other = make_stream(cudaStreamDefault);
  float* z = device_floats();
  for (int step = 0; step < 4; ++step) {
    if (rank() == step % 2) {
      check(cudaSetDevice(own));
      all_reduce(world, on_own, x);
      check(cudaSetDevice(other));
      check(cudaMemset(z, 0, 64));
      check(cudaMemsetAsync(z, 0, 64, nullptr));
      check(cudaStreamSynchronize(nullptr));
      hold_for_long(on_other);
      check(ncclBroadcast(z, z, 8, ncclFloat, rank(), others, on_other));
      check(cudaDeviceSynchronize());
    } else {
      check(cudaSetDevice(other));
      check(ncclBroadcast(z, z, 8, ncclFloat, 1 - rank(), others, on_other));
      check(cudaMemset(z, 0, 64));
      check(cudaStreamSynchronize(on_other));
      check(cudaSetDevice(own));
      all_reduce(world, on_own, x);
    }
    check(cudaSetDevice(own));
    check(cudaStreamSynchronize(on_own));
  }
  return 0;
}
