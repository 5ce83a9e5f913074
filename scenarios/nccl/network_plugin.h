// A network for NCCL that can be cut: a plugin in the program itself. Each message is one packet
// of a local socket, so all ranks must be on one host.
//
// NCCL takes it from the program if NCCL_NET_PLUGIN is STATIC_PLUGIN, and looks for its interface
// by name: ncclNetPlugin_v8, which NCCL 2.22 to 2.30 know.
#pragma once

#include <nccl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace gridlock::network {

// Whether NCCL listens on this network, and whether it is cut: test() fails from then on.
inline std::atomic<bool> chosen = false;
inline std::atomic<bool> cut = false;

// What NCCL reads of a device, and the calls that it makes (ncclNet_v8_t in NCCL's sources).
struct Properties {
  const char* name;
  const char* pci_path;  // null: NCCL puts the device beside the first CPU
  std::uint64_t id;
  int memory;  // 1: of the host only
  int registered_for_all;
  int speed;  // in Mbit/s
  int port;
  float latency;
  int most_connections;
  int most_receives;  // in one call
  int offload_type;
  int offload_version;
};
struct Plugin {
  const char* name;
  ncclResult_t (*init)(void* log);
  ncclResult_t (*devices)(int* count);
  ncclResult_t (*properties)(int device, Properties* properties);
  ncclResult_t (*listen)(int device, void* handle, void** listener);
  ncclResult_t (*connect)(int device, void* handle, void** sender, void* offload);
  ncclResult_t (*accept)(void* listener, void** receiver, void* offload);
  ncclResult_t (*register_memory)(void* end, void* data, std::size_t bytes, int kind, void** made);
  ncclResult_t (*register_dma)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  ncclResult_t (*deregister_memory)(void* end, void* made);
  ncclResult_t (*send)(void* sender, void* data, int bytes, int tag, void* memory, void** request);
  ncclResult_t (*receive)(void* receiver, int count, void** data, int* bytes, int* tags,
                          void** memories, void** request);
  ncclResult_t (*flush)(void*, int, void**, int*, void**, void** request);
  ncclResult_t (*test)(void* request, int* done, int* bytes);
  ncclResult_t (*close_sender)(void* sender);
  ncclResult_t (*close_receiver)(void* receiver);
  ncclResult_t (*close_listener)(void* listener);
  ncclResult_t (*device_memory)(void*, void*, void**);
  ncclResult_t (*consumed)(void*, int, void*);
};

struct End {
  int socket = -1;
};
// Without data: a message that is sent.
struct Request {
  int socket = -1;
  void* data = nullptr;
  int bytes = 0;
};

inline ncclResult_t properties(int /*device*/, Properties* properties) {
  *properties = {"scenario", nullptr, 1, 1, 0, 10'000, 1, 0, 1024, 1, 0, 0};
  return ncclSuccess;
}

// Lets the kernel choose an address, and gives it to the peer in `handle` (128 bytes): its length,
// and what is behind the family.
inline ncclResult_t listen(int /*device*/, void* handle, void** listener) {
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t length = sizeof(sa_family_t);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, generic, length) != 0 || ::listen(socket, SOMAXCONN) != 0) {
    return ncclSystemError;
  }
  length = sizeof address;
  if (::getsockname(socket, generic, &length) != 0) return ncclSystemError;
  chosen = true;  // NCCL initializes networks that it then does not take
  auto* bytes = static_cast<char*>(handle);
  *bytes = static_cast<char>(length);
  for (socklen_t at = 0; at < length; ++at) bytes[at + 1] = reinterpret_cast<char*>(&address)[at];
  *listener = new End{socket};
  return ncclSuccess;
}

inline ncclResult_t connect(int /*device*/, void* handle, void** sender, void* /*offload*/) {
  const auto* bytes = static_cast<const char*>(handle);
  sockaddr_un address{};
  const auto length = static_cast<socklen_t>(static_cast<unsigned char>(*bytes));
  for (socklen_t at = 0; at < length; ++at) reinterpret_cast<char*>(&address)[at] = bytes[at + 1];
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), length) != 0) {
    const bool later = errno == EAGAIN;
    ::close(socket);
    return later ? ncclSuccess : ncclSystemError;
  }
  *sender = new End{socket};
  return ncclSuccess;
}

inline ncclResult_t accept(void* listener, void** receiver, void* /*offload*/) {
  const int socket = ::accept4(static_cast<End*>(listener)->socket, nullptr, nullptr,
                               SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return errno == EAGAIN ? ncclSuccess : ncclSystemError;
  *receiver = new End{socket};
  return ncclSuccess;
}

inline ncclResult_t register_memory(void* end, void*, std::size_t, int, void** made) {
  *made = end;
  return ncclSuccess;
}

// A byte before the data tells an empty message from the end of the connection.
inline msghdr packet(std::array<iovec, 2>& parts, char& first, void* data, int bytes) {
  parts = {{{&first, 1}, {data, static_cast<std::size_t>(bytes)}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return message;
}

// Without a request, NCCL tries again.
inline ncclResult_t send(void* sender, void* data, int bytes, int, void*, void** request) {
  *request = nullptr;
  char first = 0;
  std::array<iovec, 2> parts{};
  const msghdr message = packet(parts, first, data, bytes);
  const int socket = static_cast<End*>(sender)->socket;
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    return errno == EAGAIN ? ncclSuccess : ncclRemoteError;
  }
  *request = new Request{socket, nullptr, bytes};
  return ncclSuccess;
}

inline ncclResult_t receive(void* receiver, int /*count*/, void** data, int* bytes, int*, void**,
                            void** request) {
  *request = new Request{static_cast<End*>(receiver)->socket, data[0], bytes[0]};
  return ncclSuccess;
}

inline ncclResult_t test(void* request, int* done, int* bytes) {
  *done = 0;
  if (cut) return ncclRemoteError;
  auto* asked = static_cast<Request*>(request);
  if (asked->data != nullptr) {
    char first = 0;
    std::array<iovec, 2> parts{};
    msghdr message = packet(parts, first, asked->data, asked->bytes);
    const ssize_t got = ::recvmsg(asked->socket, &message, 0);
    if (got < 0 && errno == EAGAIN) return ncclSuccess;
    if (got <= 0) return ncclRemoteError;
    asked->bytes = static_cast<int>(got - 1);
  }
  *done = 1;
  if (bytes != nullptr) *bytes = asked->bytes;
  delete asked;
  return ncclSuccess;
}

inline ncclResult_t close(void* end) {
  ::close(static_cast<End*>(end)->socket);
  delete static_cast<End*>(end);
  return ncclSuccess;
}

inline constexpr Plugin kPlugin{
    .name = "scenario",
    .init = [](void*) { return ncclSuccess; },
    .devices = [](int* count) { return *count = 1, ncclSuccess; },
    .properties = properties,
    .listen = listen,
    .connect = connect,
    .accept = accept,
    .register_memory = register_memory,
    .register_dma = nullptr,
    .deregister_memory = [](void*, void*) { return ncclSuccess; },
    .send = send,
    .receive = receive,
    .flush = [](void*, int, void**, int*, void**,
                void** request) { return *request = nullptr, ncclSuccess; },
    .test = test,
    .close_sender = close,
    .close_receiver = close,
    .close_listener = close,
    .device_memory = nullptr,
    .consumed = nullptr,
};

}  // namespace gridlock::network
