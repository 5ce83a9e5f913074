// Names of libraries as they are installed, and of others that look similar.
#include "harness/record/vendors.h"

#include <gtest/gtest.h>

namespace gridlock::record {
namespace {

TEST(Vendors, AreKnownByTheNamesThatTheyInstall) {
  for (const std::string_view name :
       {"/usr/lib/libcuda.so.1", "libcudart.so.12", "libcudart-9335f6a2.so.12", "libnccl.so.2",
        "libcudnn_ops.so.9", "libmpi.so.40", "libmpich.so.12", "libopen-pal.so.80",
        "ucx/libuct_ib.so.0", "libgridlock_cuda.so", "libnvidia-ml.so.1"}) {
    EXPECT_TRUE(is_vendors(name)) << name;
    EXPECT_TRUE(may_be_vendors(name)) << name;
  }
}

// Threads of such a library are the program's, and count. Its code on a sleeping thread's stack may
// be a vendor's after all.
TEST(Vendors, DoNotOwnWhatOnlyBeginsLikeTheirs) {
  for (const std::string_view name :
       {"libcuda_watchdog.so", "libnccl_monitor.so.1", "libmpi_tools.so", "libucommon.so.1",
        "libcudaq-3f.so", "libopen-browser.so"}) {
    EXPECT_FALSE(is_vendors(name)) << name;
    EXPECT_TRUE(may_be_vendors(name)) << name;
  }
  EXPECT_FALSE(may_be_vendors("/opt/libnccl/libtrain.so"));
}

}  // namespace
}  // namespace gridlock::record
