// Random points of the matrix collective x protocol x algorithm x type x operation x size x ranks,
// each value checked. The launcher's environment chooses the transport. Each draw has a
// communicator of its own, a split of the world's, for which NCCL reads NCCL_PROTO and NCCL_ALGO
// anew.
//   random_draws SEED FIRST NUMBER [DEVICES of each process]
// A wrong draw is described on stderr. `random_draws SEED INDEX 1` repeats one.
#include <memory>

#include "tests/real_nccl/programs/ranks.h"
#include "tests/real_nccl/programs/reference.h"

namespace {

constexpr std::size_t kEdge = 16;  // elements around a buffer that nobody may write
constexpr unsigned char kUnused = 0xa5;

struct Device {
  int number = 0;
  int rank = 0;  // of the world
  ncclComm_t world = nullptr;
  cudaStream_t stream = nullptr;
};

// Device memory with edges around it.
class Buffer {
 public:
  Buffer(const Draw& d, std::size_t count)
      : type_(*d.type),
        first_(kEdge + d.shift),
        count_(count),
        host_((first_ + count + kEdge) * width(), kUnused),
        device_(host_) {}

  char* at(std::size_t element) {
    return static_cast<char*>(device_.data()) + (first_ + element) * width();
  }
  void set(std::size_t element, std::uint64_t bits) {
    write_element(type_, &host_[(first_ + element) * width()], bits);
  }
  std::uint64_t get(std::size_t element) const {
    return read_element(type_, &host_[(first_ + element) * width()]);
  }
  void send() {
    check(cudaMemcpy(device_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice));
  }
  void receive() { host_ = device_.values(); }
  bool edges_are_whole() const {
    for (std::size_t byte = 0; byte < host_.size(); ++byte) {
      const bool inside = byte >= first_ * width() && byte < (first_ + count_) * width();
      if (!inside && host_[byte] != kUnused) return false;
    }
    return true;
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(type_.bytes); }
  Type type_;
  std::size_t first_, count_;
  std::vector<unsigned char> host_;
  OnDevice<unsigned char> device_;
};

// One device's part in a draw.
class Part {
 public:
  Part(const Draw& d, int rank, const Device& device, ncclComm_t communicator)
      : d_(d),
        rank_(rank),
        n_(static_cast<std::size_t>(d.size())),
        device_(device),
        communicator_(communicator) {
    check(cudaSetDevice(device.number));
    const bool shared = d.in_place && d.kind != Kind::all_to_all && d.kind != Kind::gather &&
                        d.kind != Kind::scatter && d.kind != Kind::ring;
    const std::size_t in = brings() ? inputs() : 0, out = outputs();
    if (shared) {
      in_ = out_ = std::make_shared<Buffer>(d, std::max(inputs(), out));
      if (d.kind == Kind::all_gather) in_first_ = d.count * static_cast<std::size_t>(rank);
      if (d.kind == Kind::reduce_scatter) out_first_ = d.count * static_cast<std::size_t>(rank);
    } else {
      in_ = std::make_shared<Buffer>(d, in);
      out_ = std::make_shared<Buffer>(d, out);
    }
    if (d.fold == Fold::scaled && d.reduces()) make_scale();
  }
  ~Part() {
    if (scaled_) static_cast<void>(ncclRedOpDestroy(operation_, communicator_));
  }
  Part(const Part&) = delete;

  void fill(int call) {
    check(cudaSetDevice(device_.number));
    if (brings()) {
      for (std::size_t at = 0; at < inputs(); ++at)
        in_->set(in_first_ + at, brought(d_, call, rank_, at));
    }
    in_->send();
    if (out_ != in_) out_->send();
  }

  void enqueue() {
    const void* const in = in_->at(in_first_);
    void* const out = out_->at(out_first_);
    const ncclDataType_t type = d_.type->id;
    const std::size_t count = d_.count;
    switch (d_.kind) {
      case Kind::all_reduce:
        return check(
            ncclAllReduce(in, out, count, type, operation_, communicator_, device_.stream));
      case Kind::broadcast:
        return check(ncclBroadcast(in, out, count, type, d_.root, communicator_, device_.stream));
      case Kind::reduce:
        return check(
            ncclReduce(in, out, count, type, operation_, d_.root, communicator_, device_.stream));
      case Kind::all_gather:
        return check(ncclAllGather(in, out, count, type, communicator_, device_.stream));
      case Kind::reduce_scatter:
        return check(
            ncclReduceScatter(in, out, count, type, operation_, communicator_, device_.stream));
      case Kind::all_to_all:
        for (int peer = 0; peer < d_.size(); ++peer)
          send(peer, count * static_cast<std::size_t>(peer)),
              receive(peer, count * static_cast<std::size_t>(peer));
        return;
      case Kind::gather:
        send(d_.root, 0);
        for (int peer = 0; rank_ == d_.root && peer < d_.size(); ++peer)
          receive(peer, count * static_cast<std::size_t>(peer));
        return;
      case Kind::scatter:
        for (int peer = 0; rank_ == d_.root && peer < d_.size(); ++peer)
          send(peer, count * static_cast<std::size_t>(peer));
        return receive(d_.root, 0);
      case Kind::ring:
        send((rank_ + 1) % d_.size(), 0);
        return receive((rank_ + d_.size() - 1) % d_.size(), 0);
    }
  }

  // How many values were compared. `wrong` counts those that are not as they must be.
  std::size_t compare(int call, std::size_t& wrong) {
    check(cudaSetDevice(device_.number));
    check(cudaStreamSynchronize(device_.stream));
    out_->receive();
    if (!out_->edges_are_whole()) ++wrong;
    if (!receives()) return 0;
    for (std::size_t at = 0; at < outputs(); ++at)
      wrong += is_right(call, at, out_->get(out_first_ + at)) ? 0 : 1;
    return outputs();
  }

 private:
  std::size_t inputs() const {
    const bool all =
        d_.kind == Kind::reduce_scatter || d_.kind == Kind::all_to_all || d_.kind == Kind::scatter;
    return all ? d_.count * n_ : d_.count;
  }
  std::size_t outputs() const {
    const bool all =
        d_.kind == Kind::all_gather || d_.kind == Kind::all_to_all || d_.kind == Kind::gather;
    return all ? d_.count * n_ : d_.count;
  }
  bool brings() const {
    return (d_.kind != Kind::broadcast && d_.kind != Kind::scatter) || rank_ == d_.root;
  }
  bool receives() const {
    return (d_.kind != Kind::reduce && d_.kind != Kind::gather) || rank_ == d_.root;
  }

  bool is_right(int call, std::size_t at, std::uint64_t got) const {
    const std::size_t count = d_.count;
    switch (d_.kind) {
      case Kind::all_reduce:
      case Kind::reduce:
        return is_fold(d_, call, at, got);
      case Kind::reduce_scatter:
        return is_fold(d_, call, at + count * static_cast<std::size_t>(rank_), got);
      case Kind::broadcast:
        return got == brought(d_, call, d_.root, at);
      case Kind::all_gather:
      case Kind::gather:
        return got == brought(d_, call, static_cast<int>(at / count), at % count);
      case Kind::all_to_all:
        return got == brought(d_, call, static_cast<int>(at / count),
                              at % count + count * static_cast<std::size_t>(rank_));
      case Kind::scatter:
        return got == brought(d_, call, d_.root, at + count * static_cast<std::size_t>(rank_));
      case Kind::ring:
        return got == brought(d_, call, (rank_ + d_.size() - 1) % d_.size(), at);
    }
    return false;
  }

  void send(int peer, std::size_t first) {
    check(ncclSend(in_->at(first), d_.count, d_.type->id, peer, communicator_, device_.stream));
  }
  void receive(int peer, std::size_t first) {
    check(ncclRecv(out_->at(first), d_.count, d_.type->id, peer, communicator_, device_.stream));
  }
  void make_scale() {
    std::uint64_t scale = is_float(*d_.type) ? float_bits(*d_.type, kScale) : kScale;
    check(ncclRedOpCreatePreMulSum(&operation_, &scale, d_.type->id, ncclScalarHostImmediate,
                                   communicator_));
    scaled_ = true;
  }

  const Draw& d_;
  int rank_;
  std::size_t n_;
  const Device& device_;
  ncclComm_t communicator_;
  ncclRedOp_t operation_ = d_.fold == Fold::scaled ? ncclSum : static_cast<ncclRedOp_t>(d_.fold);
  bool scaled_ = false;
  std::shared_ptr<Buffer> in_, out_;
  std::size_t in_first_ = 0, out_first_ = 0;
};

void set_or_unset(const char* name, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

// Runs a draw on this process's devices; returns whether all values are right.
bool is_right(const Draw& d, const std::vector<Device>& devices, std::size_t& values) {
  set_or_unset("NCCL_PROTO", d.protocol);
  set_or_unset("NCCL_ALGO", d.algorithm);
  std::vector<ncclComm_t> communicators(devices.size());
  std::vector<int> places(devices.size(), -1);
  check(ncclGroupStart());
  for (std::size_t at = 0; at < devices.size(); ++at) {
    const auto place = std::find(d.ranks.begin(), d.ranks.end(), devices[at].rank);
    if (place != d.ranks.end()) places[at] = static_cast<int>(place - d.ranks.begin());
    check(ncclCommSplit(devices[at].world, places[at] < 0 ? NCCL_SPLIT_NOCOLOR : 0,
                        std::max(places[at], 0), &communicators[at], nullptr));
  }
  check(ncclGroupEnd());
  std::size_t wrong = 0;
  {
    std::vector<std::unique_ptr<Part>> parts;
    for (std::size_t at = 0; at < devices.size(); ++at) {
      if (places[at] >= 0)
        parts.push_back(std::make_unique<Part>(d, places[at], devices[at], communicators[at]));
    }
    for (int call = 0; call < d.calls; ++call) {
      for (const auto& part : parts) part->fill(call);
      check(ncclGroupStart());
      for (const auto& part : parts) part->enqueue();
      check(ncclGroupEnd());
      for (const auto& part : parts) values += part->compare(call, wrong);
    }
  }
  check(ncclGroupStart());
  for (std::size_t at = 0; at < devices.size(); ++at) {
    if (places[at] >= 0) check(ncclCommDestroy(communicators[at]));
  }
  check(ncclGroupEnd());
  return wrong == 0;
}

std::vector<Device> open_world(const Ranks& ranks, int each) {
  std::vector<Device> devices(static_cast<std::size_t>(each));
  check(ncclGroupStart());
  for (int at = 0; at < each; ++at) {
    Device& device = devices[static_cast<std::size_t>(at)];
    device.number = number_from("LOCAL_RANK") * each + at;
    device.rank = ranks.rank * each + at;
    check(cudaSetDevice(device.number));
    check(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    check(ncclCommInitRank(&device.world, ranks.size * each, ranks.id, device.rank));
  }
  check(ncclGroupEnd());
  return devices;
}

void close_world(const std::vector<Device>& devices) {
  check(ncclGroupStart());
  for (const Device& device : devices) check(ncclCommDestroy(device.world));
  check(ncclGroupEnd());
  for (const Device& device : devices) {
    check(cudaSetDevice(device.number));
    check(cudaStreamDestroy(device.stream));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("random_draws: give a seed, the first draw and the number of draws\n", stderr);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t number = std::strtoull(argv[3], nullptr, 10);
  Ranks ranks;
  const std::vector<Device> devices = open_world(ranks, argc > 4 ? std::atoi(argv[4]) : 1);
  const int world = ranks.size * static_cast<int>(devices.size());
  int version = 0;
  check(ncclGetVersion(&version));
  std::uint64_t wrong = 0;
  std::size_t values = 0;
  for (std::uint64_t index = first; index < first + number; ++index) {
    const Draw drawn = draw(seed, index, world, version);
    if (ranks.rank == 0 && std::getenv("DRAWS_TALK") != nullptr) {
      std::fprintf(stderr, "draw %llu: %s\n", static_cast<unsigned long long>(index),
                   words(drawn).c_str());
    }
    if (is_right(drawn, devices, values)) continue;
    ++wrong;
    std::fprintf(stderr, "rank %d: draw %llu is wrong: %s\n", ranks.rank,
                 static_cast<unsigned long long>(index), words(drawn).c_str());
  }
  close_world(devices);
  std::printf("rank %d of %d: %llu draws, %zu values, %llu draws wrong\n", ranks.rank, ranks.size,
              static_cast<unsigned long long>(number), values,
              static_cast<unsigned long long>(wrong));
  return wrong == 0 ? 0 : 1;
}
