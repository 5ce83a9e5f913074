// A layer with weights and a bias under test: random inputs, their copies on the device, room for
// the results, and the comparison of all four with a reference.
#pragma once

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels::test {

struct LayerReference {
  std::vector<Reference> y, dx, dweight, dbias;
};

class LayerTest : public KernelTest {
 protected:
  //   in, out     shapes of the layer's input and output
  //   taps        weights for each pair of an input and an output channel
  //   poison      put into the middle of the input unless it is 0
  //   reference   (x, weight, bias, dy) to LayerReference
  //   launch      enqueues forward and both backward passes of `Device`
  template <class Reference, class Launch>
  void compare(Shape3 in, Shape3 out, int taps, float poison, Reference reference, Launch launch) {
    SCOPED_TRACE(::testing::Message()
                 << in.batch << "x" << in.channels << "x" << in.time << " to " << out.channels);
    const auto outputs = static_cast<std::size_t>(out.channels);
    std::vector<float> x = random(size_of(in));
    const auto weight = random(outputs * static_cast<std::size_t>(in.channels * taps));
    const auto bias = random(outputs);
    const auto dy = random(size_of(out));
    if (poison != 0.0F) x[x.size() / 2] = poison;
    const LayerReference expected = reference(x, weight, bias, dy);

    Device device{Floats(x),         Floats(weight),   Floats(bias),          Floats(dy),
                  Floats(dy.size()), Floats(x.size()), Floats(weight.size()), Floats(bias.size())};
    launch(device);
    expect_close(device.y.read(), expected.y);
    expect_close(device.dx.read(), expected.dx);
    expect_close(device.dweight.read(), expected.dweight);
    expect_close(device.dbias.read(), expected.dbias);
  }

  struct Device {
    Floats x, weight, bias, dy;
    Floats y, dx, dweight, dbias;
  };
};

}  // namespace gridlock::kernels::test
