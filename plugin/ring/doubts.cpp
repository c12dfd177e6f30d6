// SPDX-License-Identifier: Apache-2.0
#include "ring/doubts.h"

namespace weir::ring {

void Doubts::link(op::Request*& first, op::Request& request) {
  request.next_doubt = first;
  request.doubted = &first;
  if (first) first->doubted = &request.next_doubt;
  first = &request;
}

void Doubts::remove(op::Request& request) {
  if (!request.doubted) return;
  *request.doubted = request.next_doubt;
  if (request.next_doubt) request.next_doubt->doubted = request.doubted;
  request.doubted = nullptr;
}

}  // namespace weir::ring
