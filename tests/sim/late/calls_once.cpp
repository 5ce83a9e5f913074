// A library in C++, as an extension of Python's is. Its call gives the thread libstdc++'s data.
#include <mutex>

extern "C" int call_once_here() {
  static std::once_flag flag;
  int calls = 0;
  std::call_once(flag, [&] { ++calls; });
  return calls;
}
