// Threads that nobody joins, and that end soon.
#pragma once

#include <pthread.h>

#include <cstdlib>
#include <memory>
#include <utility>

// Detached from the start: in glibc before 2.41, whoever detaches a thread that is just ending may
// read what it has freed (bug 19951).
template <class Body>
void start_detached(Body body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const auto run = [](void* own) -> void* {
    (*std::unique_ptr<Body>(static_cast<Body*>(own)))();
    return nullptr;
  };
  pthread_t thread{};
  auto own = std::make_unique<Body>(std::move(body));
  if (pthread_create(&thread, &attributes, run, own.get()) != 0) std::_Exit(2);
  static_cast<void>(own.release());
  pthread_attr_destroy(&attributes);
}
