// Device memory for one side of a drawn collective, with a copy on the host.
#pragma once

#include "tests/real_nccl/programs/draw.h"
#include "tests/real_nccl/programs/ranks.h"

inline constexpr std::size_t kEdge = 16;  // elements around a buffer that nobody may write
inline constexpr unsigned char kUnused = 0xa5;

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
