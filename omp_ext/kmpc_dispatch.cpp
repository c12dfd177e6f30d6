// SPDX-License-Identifier: Apache-2.0
// The next piece of a loop, in code by clang: dynamic, guided, and what OMP_SCHEDULE says.
#include <cstdint>

#include "omp_ext/libomp.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/next.h"

namespace weir::omp {
namespace {

template <typename Number, typename Step>
using NextPiece = int(Ident*, std::int32_t, std::int32_t*, Number*, Number*, Step*);

constinit Next<NextPiece<std::int32_t, std::int32_t>> next_4{"__kmpc_dispatch_next_4"};
constinit Next<NextPiece<std::uint32_t, std::int32_t>> next_4u{"__kmpc_dispatch_next_4u"};
constinit Next<NextPiece<std::int64_t, std::int64_t>> next_8{"__kmpc_dispatch_next_8"};
constinit Next<NextPiece<std::uint64_t, std::int64_t>> next_8u{"__kmpc_dispatch_next_8u"};

template <typename F, typename... A>
int next_piece(Next<F>& next, A... arguments) {
  return team::next_piece([&] { return next(arguments...); });
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

#define PIECE(Number, Step) Ident *place, std::int32_t gtid, std::int32_t *last, Number *lower, Number *upper, Step *stride
#define GIVEN place, gtid, last, lower, upper, stride
WEIR_INTERPOSED int __kmpc_dispatch_next_4(PIECE(std::int32_t, std::int32_t)) { return next_piece(next_4, GIVEN); }
WEIR_INTERPOSED int __kmpc_dispatch_next_4u(PIECE(std::uint32_t, std::int32_t)) { return next_piece(next_4u, GIVEN); }
WEIR_INTERPOSED int __kmpc_dispatch_next_8(PIECE(std::int64_t, std::int64_t)) { return next_piece(next_8, GIVEN); }
WEIR_INTERPOSED int __kmpc_dispatch_next_8u(PIECE(std::uint64_t, std::int64_t)) { return next_piece(next_8u, GIVEN); }
