// Batch normalization's kernels against their CPU twins. Each kernel gets its own inputs, so that
// no difference is passed on. The signs of the inputs make all terms of the formulas in
// batch_norm.h add up.
#include <vector>

#include "kernels/layers/batch_norm.h"
#include "tests/kernels/layers/batch_norm_reference.h"
#include "tests/kernels/twins.h"

namespace gridlock::kernels {
namespace {

using test::FloatTwins;
using test::kEpsilon;

class BatchNormTwins : public test::TwinTest {
 protected:
  // body(shape, shift); the last shape has more rows, and more channels, than a grid has places.
  template <class Body>
  void for_all(const Body& body) {
    std::vector<Shape3> shapes = test::shapes();
    shapes.push_back(test::kManyRows);
    for_each_shape(shapes, body);
  }
};

TEST_F(BatchNormTwins, Statistics) {
  for_all([this](Shape3 shape, std::size_t shift) {
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins mean = output(shape.channels);
    FloatTwins var = output(shape.channels);
    run(launch_batch_norm_statistics, cpu::batch_norm_statistics, x, shape, mean, var);
    mean.expect_close();
    var.expect_close();
  });
}

TEST_F(BatchNormTwins, RecordsAndInverseRoots) {
  for_all([this](Shape3 shape, std::size_t /*shift*/) {
    FloatTwins mean = data(shape.channels);
    FloatTwins var = spreads(shape.channels);
    FloatTwins inverse_std = output(shape.channels);
    FloatTwins record = output(batch_norm_record_size(shape.channels));
    run(launch_batch_norm_inverse_std, cpu::batch_norm_inverse_std, var, shape.channels, kEpsilon,
        inverse_std);
    run(launch_batch_norm_record, cpu::batch_norm_record, mean, var, shape, kEpsilon, record);
    inverse_std.expect_close();
    record.expect_close();
  });
}

TEST_F(BatchNormTwins, RanksAreCombinedAndTheRunningStatisticsFollow) {
  for_all([this](Shape3 shape, std::size_t /*shift*/) {
    std::vector<float> all;
    for (const float count : {11.0F, 40.0F, 0.0F, 23.0F}) {  // of four ranks
      FloatTwins means = data(shape.channels);
      FloatTwins inverse_stds = spreads(shape.channels);
      all.insert(all.end(), means.on_host(), means.on_host() + shape.channels);
      all.insert(all.end(), inverse_stds.on_host(), inverse_stds.on_host() + shape.channels);
      all.push_back(count);
    }
    FloatTwins records(all);
    FloatTwins mean = output(shape.channels);
    FloatTwins inverse_std = output(shape.channels);
    FloatTwins total = output(1);
    run(launch_batch_norm_combine, cpu::batch_norm_combine, records, 4, shape.channels, kEpsilon,
        mean, inverse_std, total);
    mean.expect_close();
    inverse_std.expect_close();
    total.expect_equal();

    FloatTwins new_mean = data(shape.channels);
    FloatTwins new_inverse_std = spreads(shape.channels);
    FloatTwins running_mean = parameters(shape.channels);
    FloatTwins running_var = spreads(shape.channels);
    run(launch_batch_norm_update_running, cpu::batch_norm_update_running, new_mean, new_inverse_std,
        total, shape.channels, kEpsilon, 0.1F, running_mean, running_var);
    running_mean.expect_close();
    running_var.expect_close();
  });
}

TEST_F(BatchNormTwins, Forward) {
  for_all([this](Shape3 shape, std::size_t shift) {
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins mean = parameters(shape.channels, -1);
    FloatTwins inverse_std = spreads(shape.channels);
    FloatTwins gamma = parameters(shape.channels);
    FloatTwins beta = parameters(shape.channels);
    FloatTwins y = output(elements(shape), shift);
    run(launch_batch_norm_forward, cpu::batch_norm_forward, x, shape, mean, inverse_std, gamma,
        beta, y);
    y.expect_close();
  });
}

TEST_F(BatchNormTwins, BackwardReduce) {
  for_all([this](Shape3 shape, std::size_t shift) {
    FloatTwins dy = data(elements(shape), 1, shift);
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins mean = parameters(shape.channels, -1);
    FloatTwins inverse_std = spreads(shape.channels);
    FloatTwins sums = output(std::int64_t{2} * shape.channels);
    FloatTwins dgamma = output(shape.channels);
    FloatTwins dbeta = output(shape.channels);
    run(launch_batch_norm_backward_reduce, cpu::batch_norm_backward_reduce, dy, x, shape, mean,
        inverse_std, sums, dgamma, dbeta);
    sums.expect_close();
    dgamma.expect_close();
    dbeta.expect_close();
  });
}

TEST_F(BatchNormTwins, Backward) {
  for_all([this](Shape3 shape, std::size_t shift) {
    FloatTwins dy = data(elements(shape), 1, shift);
    FloatTwins x = data(elements(shape), 1, shift);
    FloatTwins mean = parameters(shape.channels, -1);
    FloatTwins inverse_std = spreads(shape.channels);
    FloatTwins gamma = parameters(shape.channels);
    FloatTwins sums = parameters(std::int64_t{2} * shape.channels, -1);
    FloatTwins total(std::vector<float>{42.0F});
    FloatTwins dx = output(elements(shape), shift);
    run(launch_batch_norm_backward, cpu::batch_norm_backward, dy, x, shape, mean, inverse_std,
        gamma, sums, total, dx);
    dx.expect_close();
  });
}

}  // namespace
}  // namespace gridlock::kernels
