// How a sanitizer is to behave in whatever the recorder is loaded into. It finds these functions by
// their names, here because a preloaded library comes before the sanitizer's own.
#if defined(__SANITIZE_ADDRESS__)

// The recorder comes before the sanitizer's runtime, which is all right: it replaces no function of
// the C library. Leaks are looked for in the libraries' own tests: ranks leave without destructors.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();
const char* __asan_default_options() { return "verify_asan_link_order=0:detect_leaks=0"; }

#elif defined(__SANITIZE_THREAD__)

// A race ends its rank, which otherwise leaves without destructors and as if nothing were wrong.
// And a rank that ends is not kept for the second in which others could still race: that is a
// stall.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() { return "halt_on_error=1:atexit_sleep_ms=0"; }

// The scenario timeout_remedies shows what comes of an exception that is thrown in a signal
// handler.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() { return "signal:alarm_throws\n"; }

#endif
