// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace weir::tbb {

// Begins a thread that nobody waits for. (pthread_detach() looks at it once more, when it may be gone.)
inline bool begin_detached(void* (*body)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  bool began = !pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return began;
}

}  // namespace weir::tbb
