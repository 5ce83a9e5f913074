// Sets sanitizer options for every program that loads the recorder. The sanitizer finds these
// functions by name; a preloaded library's come before its own.
#if defined(__SANITIZE_ADDRESS__)

// The recorder is loaded before the sanitizer's runtime, which is fine here. Only the libraries'
// own tests look for leaks, because ranks exit without destructors.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();
const char* __asan_default_options() { return "verify_asan_link_order=0:detect_leaks=0"; }

#elif defined(__SANITIZE_THREAD__)

// A race must end its rank, which would otherwise exit without destructors as if nothing were
// wrong. And an ending rank must not sleep for the usual second, in which others could still race:
// that would be a stall.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() { return "halt_on_error=1:atexit_sleep_ms=0"; }

// The scenario timeout_remedies throws an exception in a signal handler on purpose.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() { return "signal:alarm_throws\n"; }

#endif
