// A healthy program of random MPI calls: all ranks draw the same calls from a given seed.
#include <mpi.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int kLarge = 200000;  // ints: more than MPI sends before its receive is posted
constexpr MPI_Comm kWorld = MPI_COMM_WORLD;

struct Step {
  int rank;
  int size;
  int count;
  int tag;
  int root;
  std::vector<int>& out;
  std::vector<int>& in;

  int next() const { return (rank + 1) % size; }
  int previous() const { return (rank + size - 1) % size; }
  bool is_root() const { return rank == root; }
  void receive(int from, int with_tag) const {
    MPI_Recv(in.data(), count, MPI_INT, from, with_tag, kWorld, MPI_STATUS_IGNORE);
  }
  void send_to_root() const { MPI_Send(out.data(), count, MPI_INT, root, tag, kWorld); }
};

void collectives(const Step& step) {
  int one = 0;
  MPI_Allreduce(&step.rank, &one, 1, MPI_INT, MPI_SUM, kWorld);
  MPI_Bcast(step.in.data(), step.count, MPI_INT, step.root, kWorld);
  MPI_Reduce(step.out.data(), step.in.data(), step.count, MPI_INT, MPI_SUM, step.root, kWorld);
  MPI_Scan(&step.rank, &one, 1, MPI_INT, MPI_SUM, kWorld);
  MPI_Gather(&step.rank, 1, MPI_INT, step.in.data(), 1, MPI_INT, step.root, kWorld);
  MPI_Alltoall(step.out.data(), 1, MPI_INT, step.in.data(), 1, MPI_INT, kWorld);
}

void ring(const Step& step) {
  MPI_Request both[2];
  MPI_Irecv(step.in.data(), step.count, MPI_INT, step.previous(), step.tag, kWorld, &both[0]);
  MPI_Isend(step.out.data(), step.count, MPI_INT, step.next(), step.tag, kWorld, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(step.out.data(), step.count, MPI_INT, step.next(), step.tag, step.in.data(),
               step.count, MPI_INT, step.previous(), step.tag, kWorld, MPI_STATUS_IGNORE);
}

void synchronous_sends(const Step& step) {
  for (int to = 1; to < step.size; ++to) {
    if (step.rank == 0) {
      MPI_Ssend(step.out.data(), step.count, MPI_INT, to, step.tag, kWorld);
    } else if (step.rank == to) {
      step.receive(0, step.tag);
    }
  }
}

// The barrier keeps a root that receives from any source from taking the next step's messages.
void anything(const Step& step) {
  for (int from = 1; from < step.size && step.is_root(); ++from) {
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    switch (from % 4) {
      case 0:
        step.receive(MPI_ANY_SOURCE, step.tag);
        break;
      case 1:
        MPI_Probe(MPI_ANY_SOURCE, step.tag, kWorld, &status);
        step.receive(status.MPI_SOURCE, status.MPI_TAG);
        break;
      case 2:
        MPI_Irecv(step.in.data(), step.count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, kWorld,
                  &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      default:
        MPI_Mprobe(MPI_ANY_SOURCE, step.tag, kWorld, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(step.in.data(), step.count, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
  }
  if (!step.is_root()) step.send_to_root();
  MPI_Barrier(kWorld);
}

void any_request(const Step& step) {
  std::vector<MPI_Request> requests;
  for (int from = 0; from < step.size && step.is_root(); ++from) {
    if (from == step.rank) continue;
    MPI_Irecv(step.in.data() + from, 1, MPI_INT, from, step.tag, kWorld, &requests.emplace_back());
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    int index = 0;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
  }
  if (!step.is_root()) MPI_Send(step.out.data(), 1, MPI_INT, step.root, step.tag, kWorld);
}

void started_collectives(const Step& step) {
  int one = 0;
  MPI_Request both[2];
  MPI_Ibarrier(kWorld, &both[0]);
  MPI_Iallreduce(&step.rank, &one, 1, MPI_INT, MPI_SUM, kWorld, &both[1]);
  for (int done = 0; done == 0;) MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
}

void parts(const Step& step) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(kWorld, step.rank % 2, step.rank, &half);
  int one = 0;
  int rank = 0;
  int size = 0;
  MPI_Allreduce(&step.rank, &one, 1, MPI_INT, MPI_SUM, half);
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  if (rank == 0 && size > 1) {
    MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
  }
  if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, 3, half);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr void (*kKinds[])(const Step&) = {
      collectives, ring,        synchronous_sends,   anything,
      anything,    any_request, started_collectives, parts};
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(kWorld, &rank);
  MPI_Comm_size(kWorld, &size);
  std::mt19937 draw(static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 1));
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  std::vector<int> out(kLarge);
  std::vector<int> in(kLarge);
  for (int i = 0; i < steps; ++i) {
    const auto kind = draw() % std::size(kKinds);
    const int count = draw() % 8 == 0 ? kLarge : static_cast<int>(1 + draw() % 10);
    const int tag = static_cast<int>(draw() % 5);
    const int root = static_cast<int>(draw() % static_cast<unsigned>(size));
    kKinds[kind]({rank, size, count, tag, root, out, in});
  }
  MPI_Finalize();
  return 0;
}
