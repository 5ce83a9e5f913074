// Lays out the parameters and gives them their initial values.
#include "scenarios/training/encoder/parameters.h"

#include <cmath>

#include "scenarios/training/data/dataset.h"

namespace gridlock {

std::vector<float> initial_parameters(ModelShape shape, int seed) {
  const auto sizes = parameter_sizes(shape);
  std::vector<float> values;
  for (int parameter = 0; parameter < kParameterCount; ++parameter) {
    const int fan_in = parameter == kConv1Weight   ? 3 * shape.features
                       : parameter == kConv2Weight ? 3 * shape.channels
                                                   : shape.channels;
    const float scale = 1.0F / std::sqrt(static_cast<float>(fan_in));
    for (int i = 0; i < sizes[static_cast<std::size_t>(parameter)]; ++i) {
      const auto stream = static_cast<unsigned>(0x5eed0000 + seed * 64 + parameter);
      const float noise = scale * pseudo_random(stream, static_cast<unsigned>(i));
      values.push_back(parameter == kNormWeight ? 1.0F + noise : noise);
    }
  }
  return values;
}

Parameters::Parameters(ModelShape shape, int seed, cudaStream_t stream)
    : shape_(shape),
      values_(static_cast<std::size_t>(parameter_total(shape)), stream),
      gradients_(static_cast<std::size_t>(parameter_total(shape)), stream) {
  const std::vector<float> initial = initial_parameters(shape, seed);
  check(cudaMemcpyAsync(values_.data(), initial.data(), values_.bytes(), cudaMemcpyHostToDevice,
                        stream));
  check(cudaStreamSynchronize(stream));
}

int Parameters::offset(int parameter) const {
  int offset = 0;
  for (int before = 0; before < parameter; ++before) offset += count(before);
  return offset;
}

std::vector<float> Parameters::on_host(cudaStream_t stream) const {
  std::vector<float> host(values_.size());
  check(cudaMemcpyAsync(host.data(), values_.data(), values_.bytes(), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaStreamSynchronize(stream));
  return host;
}

}  // namespace gridlock
