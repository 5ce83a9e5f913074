// Between two steps, rank 0 writes pieces of a checkpoint over TCP to a reader, which has read each
// before the next. The connection holds one piece, so each write waits for the kernel to confirm
// the piece before, which takes up to 40 ms. No thread does anything then.
// Naive view: all that was sent has been read, so only the reader could end the write.
// Expected: completes.
#include <netinet/tcp.h>

#include <array>
#include <thread>

#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = completes()};

constexpr ssize_t kPieceBytes = 4000;
using Piece = std::array<char, kPieceBytes>;

static void read_pieces(int socket, int pieces) {
  Piece piece{};
  for (int i = 0; i < pieces; ++i) {
    const int at_once = 0;
    setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &at_once, sizeof at_once);
    demand(recv(socket, piece.data(), piece.size(), MSG_WAITALL) == kPieceBytes);
  }
}

int program(int, char**) {
  constexpr int kPieces = 40;
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) {
    const int listener = store_listener();
    const int writer = store_client();
    const int small = 1;  // the kernel takes the least that it allows
    setsockopt(writer, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    std::thread reader([&] { read_pieces(accept(listener, nullptr, nullptr), kPieces); });
    for (int i = 0; i < kPieces; ++i) {
      const Piece piece{};
      demand(send(writer, piece.data(), piece.size(), 0) == kPieceBytes);
    }
    reader.join();
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
