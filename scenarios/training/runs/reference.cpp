// A straightforward double-precision encoder: forward and backward over every sequence of a step.
#include "scenarios/training/runs/reference.h"

#include <cmath>
#include <cstddef>
#include <map>

namespace gridlock {
namespace {

using Values = std::vector<double>;

// [channels][time] of one sequence.
struct Plane {
  int channels = 0;
  int time = 0;
  Values values;
  Plane() = default;
  Plane(int c, int t)
      : channels(c),
        time(t),
        values(static_cast<std::size_t>(c) * static_cast<std::size_t>(t), 0.0) {}
  std::size_t index(int c, int t) const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(time) +
           static_cast<std::size_t>(t);
  }
  double& at(int c, int t) { return values[index(c, t)]; }
  double at(int c, int t) const { return values[index(c, t)]; }
};

struct Sequence {
  Plane x;
  int valid = 0;  // time steps after subsampling
  std::vector<double> target;
  bool detached = false;
  double weight = 0;  // of each squared error in the differentiated sum
  int group = 0;      // sequences of one group are normalized together
  Plane conv1, conv2, placed, mixed, whitened, normed, head;
  Values inverse_std;
};

struct Layout {
  std::vector<std::size_t> offset;
  explicit Layout(ModelShape shape) {
    std::size_t next = 0;
    for (const int size : parameter_sizes(shape)) {
      offset.push_back(next);
      next += static_cast<std::size_t>(size);
    }
  }
  double* in(Values& values, int parameter) const {
    return values.data() + offset[static_cast<std::size_t>(parameter)];
  }
  const double* in(const Values& values, int parameter) const {
    return values.data() + offset[static_cast<std::size_t>(parameter)];
  }
};

int half(int time) { return (time + 1) / 2; }

// Kernel 3, stride 2, padding 1, then ReLU.
Plane convolve(const Plane& x, const double* weight, const double* bias, int out) {
  Plane y(out, half(x.time));
  for (int o = 0; o < out; ++o) {
    for (int t = 0; t < y.time; ++t) {
      double sum = bias[o];
      for (int i = 0; i < x.channels; ++i) {
        for (int k = 0; k < 3; ++k) {
          const int from = 2 * t - 1 + k;
          if (from >= 0 && from < x.time)
            sum += weight[(o * x.channels + i) * 3 + k] * x.at(i, from);
        }
      }
      y.at(o, t) = sum < 0 ? 0 : sum;
    }
  }
  return y;
}

// Takes the gradient of the ReLU's output, and returns the gradient of x.
Plane convolve_backward(const Plane& x, const Plane& y, Plane dy, const double* weight,
                        double* dweight, double* dbias) {
  Plane dx(x.channels, x.time);
  for (int o = 0; o < y.channels; ++o) {
    for (int t = 0; t < y.time; ++t) {
      if (y.at(o, t) <= 0) continue;
      const double g = dy.at(o, t);
      dbias[o] += g;
      for (int i = 0; i < x.channels; ++i) {
        for (int k = 0; k < 3; ++k) {
          const int from = 2 * t - 1 + k;
          if (from < 0 || from >= x.time) continue;
          dweight[(o * x.channels + i) * 3 + k] += g * x.at(i, from);
          dx.at(i, from) += g * weight[(o * x.channels + i) * 3 + k];
        }
      }
    }
  }
  return dx;
}

Plane linear(const Plane& x, const double* weight, const double* bias, int out) {
  Plane y(out, x.time);
  for (int o = 0; o < out; ++o) {
    for (int t = 0; t < x.time; ++t) {
      double sum = bias[o];
      for (int i = 0; i < x.channels; ++i) sum += weight[o * x.channels + i] * x.at(i, t);
      y.at(o, t) = sum;
    }
  }
  return y;
}

Plane linear_backward(const Plane& x, const Plane& dy, const double* weight, double* dweight,
                      double* dbias) {
  Plane dx(x.channels, x.time);
  for (int o = 0; o < dy.channels; ++o) {
    for (int t = 0; t < x.time; ++t) {
      const double g = dy.at(o, t);
      dbias[o] += g;
      for (int i = 0; i < x.channels; ++i) {
        dweight[o * x.channels + i] += g * x.at(i, t);
        dx.at(i, t) += g * weight[o * x.channels + i];
      }
    }
  }
  return dx;
}

void add_positions(Plane& x) {
  for (int c = 0; c < x.channels; ++c) {
    for (int t = 0; t < x.time; ++t) {
      const double even = c - c % 2;
      const double angle = t / std::pow(10000.0, even / x.channels);
      x.at(c, t) += c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
}

using Group = std::vector<Sequence*>;

void normalize(const Group& group, const double* gamma, const double* beta) {
  constexpr double kVarianceEpsilon = 1e-5;
  const int channels = group.front()->mixed.channels;
  for (Sequence* sequence : group) {
    sequence->whitened = sequence->normed = Plane(channels, sequence->mixed.time);
    sequence->inverse_std.resize(static_cast<std::size_t>(channels));
  }
  for (int c = 0; c < channels; ++c) {
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (const Sequence* sequence : group) {
      for (int t = 0; t < sequence->mixed.time; ++t) sum += sequence->mixed.at(c, t);
      count += sequence->mixed.time;
    }
    const double mean = sum / count;
    for (const Sequence* sequence : group) {
      for (int t = 0; t < sequence->mixed.time; ++t) {
        squares += (sequence->mixed.at(c, t) - mean) * (sequence->mixed.at(c, t) - mean);
      }
    }
    const double inverse_std = 1.0 / std::sqrt(squares / count + kVarianceEpsilon);
    for (Sequence* sequence : group) {
      sequence->inverse_std[static_cast<std::size_t>(c)] = inverse_std;
      for (int t = 0; t < sequence->mixed.time; ++t) {
        const double white = (sequence->mixed.at(c, t) - mean) * inverse_std;
        sequence->whitened.at(c, t) = white;
        const double y = gamma[c] * white + beta[c];
        sequence->normed.at(c, t) = y < 0 ? 0 : y;  // includes the ReLU
      }
    }
  }
}

// `d` holds each sequence's gradient of the ReLU's output. It becomes the gradient of `mixed`.
void normalize_backward(const Group& group, std::map<const Sequence*, Plane>& d,
                        const double* gamma, double* dgamma, double* dbeta) {
  for (int c = 0; c < group.front()->mixed.channels; ++c) {
    double count = 0;
    double sum = 0;
    double sum_white = 0;
    for (const Sequence* s : group) {
      Plane& g = d.at(s);
      for (int t = 0; t < g.time; ++t) {
        if (s->normed.at(c, t) <= 0) g.at(c, t) = 0;
        sum += g.at(c, t);
        sum_white += g.at(c, t) * s->whitened.at(c, t);
      }
      count += g.time;
    }
    dbeta[c] += sum;
    dgamma[c] += sum_white;
    for (const Sequence* s : group) {
      Plane& g = d.at(s);
      const double scale = gamma[c] * s->inverse_std[static_cast<std::size_t>(c)];
      for (int t = 0; t < g.time; ++t) {
        g.at(c, t) = scale * (g.at(c, t) - sum / count - s->whitened.at(c, t) * sum_white / count);
      }
    }
  }
}

// The gradient of the weighted squared error of the pooled head.
Plane loss_gradient(const Sequence& s) {
  Plane d(s.head.channels, s.head.time);
  for (int o = 0; o < s.head.channels; ++o) {
    double pooled = 0;
    for (int t = 0; t < s.valid; ++t) pooled += s.head.at(o, t) / s.valid;
    const double error = pooled - s.target[static_cast<std::size_t>(o)];
    for (int t = 0; t < s.valid; ++t) d.at(o, t) = 2.0 * s.weight * error / s.valid;
  }
  return d;
}

std::vector<Sequence> sequences(const TrainerOptions& options, const ReferenceStep& step) {
  std::vector<Sequence> all;
  const double ranks = static_cast<double>(step.batches.size());
  const double divisor = step.divisor == 0 ? ranks : step.divisor;
  for (std::size_t rank = 0; rank < step.batches.size(); ++rank) {
    const Batch& batch = step.batches[rank];
    for (int b = 0; b < batch.size; ++b) {
      Sequence s;
      s.x = Plane(batch.features, batch.time);
      const std::size_t size = s.x.values.size();
      for (std::size_t i = 0; i < size; ++i) {
        s.x.values[i] = static_cast<double>(batch.x[static_cast<std::size_t>(b) * size + i]);
      }
      s.valid = half(half(batch.lengths[static_cast<std::size_t>(b)]));
      for (int o = 0; o < options.shape.outputs; ++o) {
        s.target.push_back(
            static_cast<double>(batch.targets[static_cast<std::size_t>(b) *
                                                  static_cast<std::size_t>(options.shape.outputs) +
                                              static_cast<std::size_t>(o)]));
      }
      const double weight = step.weights.empty() ? 1.0 : step.weights.at(rank);
      s.weight = weight / (divisor * batch.size * options.shape.outputs);
      s.detached = static_cast<int>(rank) == step.detached;
      s.group = options.norm == Norm::synchronized ? 0 : static_cast<int>(rank);
      all.push_back(std::move(s));
    }
  }
  return all;
}

Values gradients(const TrainerOptions& options, const Values& p, std::vector<Sequence> all) {
  const Layout at(options.shape);
  const int channels = options.shape.channels;
  Values grad(p.size(), 0.0);
  std::map<int, Group> groups;
  for (Sequence& s : all) {
    s.conv1 = convolve(s.x, at.in(p, kConv1Weight), at.in(p, kConv1Bias), channels);
    s.conv2 = convolve(s.conv1, at.in(p, kConv2Weight), at.in(p, kConv2Bias), channels);
    s.placed = s.conv2;
    add_positions(s.placed);
    s.mixed = linear(s.placed, at.in(p, kLinearWeight), at.in(p, kLinearBias), channels);
    groups[s.group].push_back(&s);
  }
  for (const auto& [id, group] : groups) {
    normalize(group, at.in(p, kNormWeight), at.in(p, kNormBias));
    std::map<const Sequence*, Plane> d;
    for (Sequence* s : group) {
      s->head =
          linear(s->normed, at.in(p, kHeadWeight), at.in(p, kHeadBias), options.shape.outputs);
      d[s] = linear_backward(s->normed, loss_gradient(*s), at.in(p, kHeadWeight),
                             at.in(grad, kHeadWeight), at.in(grad, kHeadBias));
    }
    normalize_backward(group, d, at.in(p, kNormWeight), at.in(grad, kNormWeight),
                       at.in(grad, kNormBias));
    for (Sequence* s : group) {
      if (s->detached) continue;
      const Plane d_placed = linear_backward(s->placed, d.at(s), at.in(p, kLinearWeight),
                                             at.in(grad, kLinearWeight), at.in(grad, kLinearBias));
      const Plane d_conv1 = convolve_backward(s->conv1, s->conv2, d_placed, at.in(p, kConv2Weight),
                                              at.in(grad, kConv2Weight), at.in(grad, kConv2Bias));
      convolve_backward(s->x, s->conv1, d_conv1, at.in(p, kConv1Weight), at.in(grad, kConv1Weight),
                        at.in(grad, kConv1Bias));
    }
  }
  return grad;
}

}  // namespace

std::vector<double> reference_parameters(const TrainerOptions& options,
                                         const std::vector<ReferenceStep>& steps) {
  const std::vector<float> initial = initial_parameters(options.shape, 0);
  Values parameters(initial.begin(), initial.end());
  for (const ReferenceStep& step : steps) {
    const Values grad = gradients(options, parameters, sequences(options, step));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= static_cast<double>(options.learning_rate) * grad[i];
    }
  }
  return parameters;
}

}  // namespace gridlock
