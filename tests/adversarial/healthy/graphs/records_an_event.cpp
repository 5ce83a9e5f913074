// Rank 0 records an event behind an all-reduce that rank 1 has not joined. Then it launches a graph
// that records the event again (cudaEventRecordExternal), and waits for the event, on the host and
// in the next round on a stream. Only the newest record counts. Rank 1 joins after rank 0's next
// call.
// Naive view: events are recorded by cudaEventRecord only.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  for (const bool on_host : {true, false}) {
    if (rank() == 0) {
      cudaEvent_t event = nullptr;
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      cudaStream_t side = make_stream();
      cudaGraphExec_t copy = captured(side, [&] {
        hold_for_long(side);
        check(cudaEventRecordWithFlags(event, side, cudaEventRecordExternal));
      });
      all_reduce(two.first, two.on_first, two.x);
      check(cudaEventRecord(event, two.on_first));
      check(cudaGraphLaunch(copy, side));
      check(on_host ? cudaEventSynchronize(event) : cudaStreamWaitEvent(two.on_second, event, 0));
      two.tell();
    } else {
      two.be_told(0);
      all_reduce(two.first, two.on_first, two.x);
    }
    check(cudaDeviceSynchronize());
  }
  return 0;
}
