// What one device does in a draw: it brings its elements, enqueues the call and compares what it
// got.
#pragma once

#include <memory>

#include "tests/real_nccl/programs/buffer.h"
#include "tests/real_nccl/programs/reference.h"

struct Device {
  int number = 0;
  int rank = 0;  // of the world
  ncclComm_t world = nullptr;
  cudaStream_t stream = nullptr;
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
