// Graphs: order of the nodes, launches, updates, and what a graph keeps alive.
#include <algorithm>
#include <mutex>
#include <vector>

#include "tests/sim/cuda/graphs/graph.h"

namespace {

using sim_test::Buffer;
using sim_test::capture;
using sim_test::check;
using sim_test::launch;
using sim_test::StreamOwner;

// Nodes that log that they ran.
struct Log {
  std::mutex mutex;
  std::vector<int> ran;

  std::size_t place(int which) const {
    return static_cast<std::size_t>(std::ranges::find(ran, which) - ran.begin());
  }
};
struct Entry {
  Log* log;
  int which;
};

void write_down(void* entry) {
  auto& own = *static_cast<Entry*>(entry);
  const std::lock_guard lock(own.log->mutex);
  own.log->ran.push_back(own.which);
}

cudaGraph_t make_graph() {
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0));
  return graph;
}

cudaGraphNode_t add_host(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, Entry& entry) {
  const cudaHostNodeParams parameters{.fn = write_down, .userData = &entry};
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddHostNode(&node, graph, before.data(), before.size(), &parameters));
  return node;
}

cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

TEST(CudaGraph, NodesRunAfterWhatTheyDependOn) {
  const StreamOwner stream;
  Log log;
  Entry entries[5];
  for (int i = 0; i < 5; ++i) entries[i] = {&log, i};
  const cudaGraph_t graph = make_graph();
  const cudaGraphNode_t top = add_host(graph, {}, entries[0]);
  const cudaGraphNode_t left = add_host(graph, {top}, entries[1]);
  const cudaGraphNode_t right = add_host(graph, {top}, entries[2]);
  add_host(graph, {left, right}, entries[3]);
  const cudaGraphNode_t first = add_host(graph, {}, entries[4]);
  check(cudaGraphAddDependencies(graph, &first, &top, nullptr, 1));  // made last, runs first
  launch(graph, stream, 1);
  ASSERT_EQ(log.ran.size(), 5U);
  EXPECT_EQ(log.place(4), 0U);
  EXPECT_EQ(log.place(0), 1U);
  EXPECT_EQ(log.place(3), 4U);
  check(cudaGraphDestroy(graph));
}

TEST(CudaGraph, BranchesRunBesideEachOther) {
  const StreamOwner stream;
  std::atomic<int> inside{0};
  const auto meet = [](void* counter) {
    auto& count = *static_cast<std::atomic<int>*>(counter);
    ++count;
    while (count.load() < 2) sched_yield();  // ends only if the other one runs meanwhile
  };
  const cudaHostNodeParams parameters{.fn = meet, .userData = &inside};
  const cudaGraph_t graph = make_graph();
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddHostNode(&node, graph, nullptr, 0, &parameters));
  check(cudaGraphAddHostNode(&node, graph, nullptr, 0, &parameters));
  launch(graph, stream, 1);
  EXPECT_EQ(inside.load(), 2);
  check(cudaGraphDestroy(graph));
}

TEST(CudaGraph, ALaunchIsInTheOrderOfItsStream) {
  const StreamOwner stream;
  sim_test::Gate gate;
  Log log;
  Entry entry{&log, 1};
  const cudaGraph_t graph = make_graph();
  add_host(graph, {}, entry);
  const cudaGraphExec_t exec = instantiate(graph);
  gate.hold(stream);
  check(cudaGraphLaunch(exec, stream));
  check(cudaGraphLaunch(exec, stream));
  std::size_t seen = 0;
  check(sim::launch(stream, [&] { seen = log.ran.size(); }));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  check(cudaGraphExecDestroy(exec));  // the running launch keeps what it needs
  check(cudaGraphDestroy(graph));
  gate.open();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(seen, 2U);
  static_cast<void>(cudaGetLastError());
}

TEST(CudaGraph, OneLaunchWaitsForTheOneBeforeItOnAnotherStream) {
  const StreamOwner first;
  const StreamOwner second;
  sim_test::Gate gate;
  int runs = 0;
  const cudaGraph_t graph = capture(first, [&] { check(sim::launch(first, [&runs] { ++runs; })); });
  const cudaGraphExec_t exec = instantiate(graph);
  gate.hold(first);
  check(cudaGraphLaunch(exec, first));
  check(cudaGraphLaunch(exec, second));
  EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  gate.open();
  check(cudaStreamSynchronize(second));
  EXPECT_EQ(runs, 2);
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaGraph, CopiesAndFillsAreNodes) {
  const StreamOwner stream;
  Buffer device(8);
  unsigned char result[8] = {};
  const cudaGraph_t graph = make_graph();
  cudaMemsetParams fill{};
  fill.dst = device.data();
  fill.value = 0x5a;
  fill.elementSize = 1;
  fill.width = 8;
  fill.height = 1;
  cudaGraphNode_t filled = nullptr;
  cudaGraphNode_t copied = nullptr;
  check(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  check(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, result, device.data(), 8,
                                 cudaMemcpyDeviceToHost));
  launch(graph, stream, 1);
  for (const unsigned char byte : result) EXPECT_EQ(byte, 0x5a);
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, nullptr, device.data(), 8,
                                     cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(sim_test::node_count(graph), 2U);
  check(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaGraph, ChildGraphsUnfoldInTheirPlace) {
  const StreamOwner stream;
  Log log;
  Entry entries[4];
  for (int i = 0; i < 4; ++i) entries[i] = {&log, i};
  const cudaGraph_t child = make_graph();
  const cudaGraphNode_t inner = add_host(child, {}, entries[1]);
  add_host(child, {inner}, entries[2]);
  const cudaGraph_t graph = make_graph();
  const cudaGraphNode_t top = add_host(graph, {}, entries[0]);
  cudaGraphNode_t nested = nullptr;
  cudaGraphNode_t empty = nullptr;
  check(cudaGraphAddChildGraphNode(&nested, graph, &top, 1, child));
  check(cudaGraphDestroy(child));  // it was copied
  check(cudaGraphAddEmptyNode(&empty, graph, &nested, 1));
  add_host(graph, {empty}, entries[3]);
  launch(graph, stream, 2);
  EXPECT_EQ(log.ran, (std::vector{0, 1, 2, 3, 0, 1, 2, 3}));
  check(cudaGraphDestroy(graph));
}

TEST(CudaGraph, ACycleIsRefused) {
  Log log;
  Entry entry{&log, 0};
  const cudaGraph_t graph = make_graph();
  const cudaGraphNode_t first = add_host(graph, {}, entry);
  const cudaGraphNode_t second = add_host(graph, {first}, entry);
  check(cudaGraphAddDependencies(graph, &second, &first, nullptr, 1));
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
  check(cudaGraphRemoveDependencies(graph, &second, &first, nullptr, 1));
  EXPECT_EQ(cudaGraphRemoveDependencies(graph, &second, &first, nullptr, 1), cudaErrorInvalidValue)
      << "it is gone";
  check(cudaGraphInstantiate(&exec, graph, 0));
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST(CudaGraph, AnUpdateTakesOverTheWorkOfTheSameForm) {
  const StreamOwner stream;
  Log log;
  Entry one{&log, 1};
  Entry two{&log, 2};
  const cudaGraph_t graph = make_graph();
  add_host(graph, {}, one);
  const cudaGraphExec_t exec = instantiate(graph);
  const cudaGraph_t same = make_graph();
  const cudaGraphNode_t node = add_host(same, {}, two);
  cudaGraphExecUpdateResultInfo info{};
  check(cudaGraphExecUpdate(exec, same, &info));
  check(cudaGraphLaunch(exec, stream));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(log.ran, std::vector{2});
  add_host(same, {node}, one);
  EXPECT_EQ(cudaGraphExecUpdate(exec, same, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaGraphDestroy(same));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaGraph, KeepsUserObjectsUntilTheLastLaunchHasEnded) {
  const StreamOwner stream;
  sim_test::Gate gate;
  std::atomic<int> destroyed{0};
  cudaUserObject_t object = nullptr;
  check(cudaUserObjectCreate(
      &object, &destroyed, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, 1,
      cudaUserObjectNoDestructorSync));
  const cudaGraph_t graph = make_graph();
  check(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  const cudaGraphExec_t exec = instantiate(graph);
  check(cudaGraphDestroy(graph));
  EXPECT_EQ(destroyed.load(), 0);
  gate.hold(stream);
  check(cudaGraphLaunch(exec, stream));
  check(cudaGraphExecDestroy(exec));
  EXPECT_EQ(destroyed.load(), 0);
  gate.open();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(destroyed.load(), 1);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST(CudaGraph, ACapturedKernelsArgumentLivesAsLongAsAGraphHasIt) {
  const StreamOwner stream;
  const auto alive = std::make_shared<int>(0);
  const cudaGraph_t graph =
      capture(stream, [&] { check(sim::launch(stream, [alive] { ++*alive; })); });
  launch(graph, stream, 2);
  EXPECT_EQ(*alive, 2);
  EXPECT_EQ(alive.use_count(), 2);
  check(cudaGraphDestroy(graph));
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(CudaGraph, ALaunchThatIsCapturedIsAChild) {
  const StreamOwner stream;
  int runs = 0;
  const cudaGraph_t inner =
      capture(stream, [&] { check(sim::launch(stream, [&runs] { ++runs; })); });
  const cudaGraphExec_t exec = instantiate(inner);
  const cudaGraph_t outer = capture(stream, [&] {
    check(cudaGraphLaunch(exec, stream));
    check(cudaGraphLaunch(exec, stream));
  });
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(inner));
  EXPECT_EQ(sim_test::node_count(outer), 2U);
  launch(outer, stream, 1);
  EXPECT_EQ(runs, 2);
  check(cudaGraphDestroy(outer));
}

}  // namespace
