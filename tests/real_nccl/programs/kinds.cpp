// One program for several kinds of use: data types, splits, nonblocking communicators, aborts, RAS,
// two devices in a process. Argument: the kind.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string_view>

#include "tests/real_nccl/programs/ranks.h"

namespace {

// An all-reduce of ones gives the number of ranks.
void add_ones(ncclComm_t communicator, cudaStream_t stream, int wanted) {
  OnDevice<float> data(std::vector<float>(1000, 1));
  check(ncclAllReduce(data.data(), data.data(), 1000, ncclFloat32, ncclSum, communicator, stream));
  check(cudaStreamSynchronize(stream));
  for (const float value : data.values())
    expect(value == static_cast<float>(wanted), "the sum of ones");
}

template <class Value>
void reduce_all_ways(Ranks& r, ncclDataType_t type) {
  const struct {
    ncclRedOp_t operation;
    int wanted;
  } cases[] = {{ncclSum, r.size * (r.size + 1) / 2},
               {ncclProd, r.size == 2 ? 2 : 24},
               {ncclMax, r.size},
               {ncclMin, 1}};
  for (const auto& [operation, wanted] : cases) {
    OnDevice<Value> data(std::vector<Value>(100, static_cast<Value>(r.rank + 1)));
    check(ncclAllReduce(data.data(), data.data(), 100, type, operation, r.all, r.stream));
    check(cudaStreamSynchronize(r.stream));
    for (const Value value : data.values()) {
      expect(value == static_cast<Value>(wanted),
             "type " + std::to_string(type) + ", operation " + std::to_string(operation));
    }
  }
}

void types(Ranks& r) {
  r.open();
  reduce_all_ways<signed char>(r, ncclInt8);
  reduce_all_ways<unsigned char>(r, ncclUint8);
  reduce_all_ways<int>(r, ncclInt32);
  reduce_all_ways<unsigned long long>(r, ncclUint64);
  reduce_all_ways<double>(r, ncclFloat64);
  r.close();
}

void split(Ranks& r) {
  r.open();
  ncclComm_t half = nullptr;
  check(ncclCommSplit(r.all, r.rank % 2, r.rank, &half, nullptr));
  add_ones(half, r.stream, r.size / 2);
  add_ones(r.all, r.stream, r.size);
  check(ncclCommDestroy(half));
  r.close();
}

// Waits for a nonblocking communicator.
void settle(ncclComm_t communicator) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(communicator, &state));
    usleep(1000);
  }
  check(state);
}

void non_blocking(Ranks& r) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const ncclResult_t begun = ncclCommInitRankConfig(&r.all, r.size, r.id, r.rank, &config);
  expect(begun == ncclInProgress || begun == ncclSuccess, "an init that does not block begins");
  settle(r.all);
  OnDevice<float> data(std::vector<float>(1000, 1));
  const ncclResult_t called =
      ncclAllReduce(data.data(), data.data(), 1000, ncclFloat32, ncclSum, r.all, r.stream);
  expect(called == ncclInProgress || called == ncclSuccess, "a call that does not block begins");
  settle(r.all);
  check(cudaStreamSynchronize(r.stream));
  for (const float value : data.values())
    expect(value == static_cast<float>(r.size), "the sum of ones");
  static_cast<void>(ncclCommFinalize(r.all));
  settle(r.all);
  r.close();
}

// Ranks that wait for a missing one end the wait by an abort.
void abort_one(Ranks& r) {
  r.open();
  OnDevice<float> data(std::vector<float>(1000, 1));
  const auto reduce = [&] {
    check(ncclAllReduce(data.data(), data.data(), 1000, ncclFloat32, ncclSum, r.all, r.stream));
  };
  // All together first: its kernel may have to be compiled, which takes longer than rank 0 waits
  // below.
  reduce();
  check(cudaStreamSynchronize(r.stream));
  if (r.rank != 0) {
    reduce();
    usleep(300'000);
    expect(cudaStreamQuery(r.stream) == cudaErrorNotReady, "the others wait for rank 0");
    check(ncclCommAbort(r.all));
    check(cudaStreamSynchronize(r.stream));
    return;
  }
  usleep(300'000);
  check(ncclCommAbort(r.all));
}

// What NCCL's service for operators (RAS) says about the job to one who asks `STATUS` where it
// listens.
std::string ras_status() {
  const std::string where = std::getenv("NCCL_RAS_ADDR");  // "127.0.0.1:28028"
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(where.substr(where.find(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int service = socket(AF_INET, SOCK_STREAM, 0);
  expect(connect(service, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
         "RAS listens");
  constexpr std::string_view kQuestion = "CLIENT PROTOCOL 2\nSTATUS\n";
  expect(
      write(service, kQuestion.data(), kQuestion.size()) == static_cast<ssize_t>(kQuestion.size()),
      "RAS can be asked");
  std::string answer;
  char part[1024];
  for (ssize_t size = 0; (size = read(service, part, sizeof part)) > 0;) {
    answer.append(part, static_cast<std::size_t>(size));
  }
  close(service);
  return answer;
}

// Rank 0 of four asks while the others wait for it in a collective.
void ras(Ranks& r) {
  r.open();
  add_ones(r.all, r.stream, r.size);
  if (r.rank == 0) {
    std::string status;
    const auto says = [&](const char* text) { return status.find(text) != std::string::npos; };
    const auto knows = [&] {
      return says("3 ranks have launched up to operation 2") &&
             says("Rank 0 has launched up to operation 1");
    };
    // The others need a moment to get there.
    for (int asked = 0; asked < 200 && !knows(); ++asked) {
      usleep(50'000);
      status = ras_status();
    }
    std::printf("%s\n", status.c_str());
    expect(knows(), "RAS knows who is behind");
  }
  add_ones(r.all, r.stream, r.size);
  r.close();
}

// Two devices of one process.
void one_process(Ranks& r) {
  ncclComm_t both[2] = {};
  check(ncclCommInitAll(both, 2, nullptr));
  std::vector<std::vector<float>> ones(2, std::vector<float>(500, 1));
  OnDevice<float>* data[2] = {};
  cudaStream_t streams[2] = {};
  for (int at = 0; at < 2; ++at) {
    check(cudaSetDevice(at));
    data[at] = new OnDevice<float>(ones[static_cast<std::size_t>(at)]);
    check(cudaStreamCreate(&streams[at]));
  }
  check(ncclGroupStart());
  for (int at = 0; at < 2; ++at) {
    check(ncclAllReduce(data[at]->data(), data[at]->data(), 500, ncclFloat32, ncclSum, both[at],
                        streams[at]));
  }
  check(ncclGroupEnd());
  for (int at = 0; at < 2; ++at) {
    check(cudaSetDevice(at));
    check(cudaStreamSynchronize(streams[at]));
    for (const float value : data[at]->values()) expect(value == 2, "a sum of two ones");
    delete data[at];
    check(ncclCommDestroy(both[at]));
  }
  static_cast<void>(r);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(Ranks&)> kinds{
      {"types", types},     {"split", split}, {"non_blocking", non_blocking},
      {"abort", abort_one}, {"ras", ras},     {"one_process", one_process}};
  const auto kind = kinds.find(argc > 1 ? argv[1] : "");
  if (kind == kinds.end()) {
    std::fputs("kinds: give one of types, split, non_blocking, abort, ras, one_process\n", stderr);
    return 2;
  }
  Ranks ranks;
  kind->second(ranks);
  if (ranks.rank == 0) std::puts("all is as it should be");
}
