// Rank 0's graph owns a user object, whose destructor CUDA runs on its own thread when the launch
// has ended. It takes its time and tells rank 1 through a pipe. Rank 0 waits for rank 1 meanwhile.
// Naive view: all threads of rank 0 wait, so nobody is left who could tell rank 1.
// Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

static int to_peer = -1;

static void tell(void* /*unused*/) {
  pause_ms(3000);
  if (write(to_peer, "x", 1) != 1) std::_Exit(5);
}

int program(int, char**) {
  const Two two;
  const std::string pipe = shared_file("pipe");
  if (rank() == 0) mkfifo(pipe.c_str(), 0600);
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  const int from_peer = rank() == 1 ? open(pipe.c_str(), O_RDONLY) : -1;
  if (rank() == 0) to_peer = open(pipe.c_str(), O_WRONLY);
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeThreadLocal));
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamEndCapture(two.on_first, &graph));
  if (rank() == 0) {
    cudaUserObject_t object = nullptr;
    check(cudaUserObjectCreate(&object, nullptr, tell, 1, cudaUserObjectNoDestructorSync));
    check(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  }
  cudaGraphExec_t step = instantiate(graph);
  check(cudaGraphDestroy(graph));
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaGraphExecDestroy(step));
  char word = 0;
  if (rank() == 1 && read(from_peer, &word, 1) != 1) return 6;
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
