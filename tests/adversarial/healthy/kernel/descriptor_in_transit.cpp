// Rank 0 reads from a pipe. The end that writes lies in a message of a local socket, whose receiver
// wakes up a second later, takes it out and writes.
// Naive view: of all processes only rank 0 holds the pipe.
// Expected: completes.
#include <sys/socket.h>

#include <cstring>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {

struct Message {
  char byte = 'x';
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  Message() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
};

void send_descriptor(int socket, int descriptor) {
  Message message;
  cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  if (sendmsg(socket, &message.header, 0) != 1) std::_Exit(5);
}

int receive_descriptor(int socket) {
  Message message;
  if (recvmsg(socket, &message.header, 0) != 1) std::_Exit(6);
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message.header)), sizeof descriptor);
  return descriptor;
}

}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    int sockets[2] = {};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 5;
    const pid_t helper = start_helper([&] {
      pause_ms(1000);
      if (write(receive_descriptor(sockets[1]), "x", 1) != 1) _exit(7);
    });
    const Pipe pipe;
    const int own = dup(pipe.writing());
    send_descriptor(sockets[0], pipe.writing());
    close(pipe.writing());
    char word = 0;
    if (read(pipe.reading(), &word, 1) != 1) return 6;
    close(own);
    wait_for(helper);
  }
  training.step();
  return 0;
}
