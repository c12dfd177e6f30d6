// SPDX-License-Identifier: Apache-2.0
// Loops that only compute: what weir must not slow down. Knows nothing of weir.
#include <cmath>
#include <cstring>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/result.h"
#include "kit/runtimes.h"

namespace {

struct Job {
  kit::Runtime runtime;
  unsigned threads;
  std::int64_t size;
  std::int64_t steps;
};

// One call a parallel region, and the sum of what the items return.
template <class Body>
std::uint64_t region(const Job& job, std::int64_t items, const Body& body) {
  return kit::sum_over(job.runtime, items, body, job.threads);
}

// Heat in a square whose left edge is hot: `steps` short regions, a row an item.
std::uint64_t stencil(const Job& job) {
  const auto n = static_cast<std::size_t>(job.size);
  std::vector<double> now(n * n, 0.0), next;
  for (std::size_t row = 0; row < n; ++row) now[row * n] = 1.0;
  next = now;
  for (std::int64_t step = 0; step < job.steps; ++step) {
    region(job, job.size - 2, [&](std::int64_t i) {
      const double* at = &now[static_cast<std::size_t>(i + 1) * n];
      double* to = &next[static_cast<std::size_t>(i + 1) * n];
      for (std::size_t x = 1; x + 1 < n; ++x) to[x] = 0.25 * (at[x - 1] + at[x + 1] + at[x - n] + at[x + n]);
      return std::uint64_t{0};
    });
    std::swap(now, next);
  }
  for (double heat : now) {
    if (!(heat >= 0.0 && heat <= 1.0)) kit::wrong("a cell is hotter than the edge");
  }
  return kit::hash(now.data(), now.size() * sizeof(double));
}

// c = a b in small whole numbers, exact in double; a row an item. Checked by c x = a (b x).
std::uint64_t matrix_product(const Job& job) {
  const auto n = static_cast<std::size_t>(job.size);
  std::vector<double> a(n * n), b(n * n), c(n * n);
  kit::Random random(1);
  for (double& x : a) x = static_cast<double>(random.below(16));
  for (double& x : b) x = static_cast<double>(random.below(16));
  for (std::int64_t step = 0; step < job.steps; ++step) {
    region(job, job.size, [&](std::int64_t i) {
      double* row = &c[static_cast<std::size_t>(i) * n];
      std::fill(row, row + n, 0.0);
      for (std::size_t k = 0; k < n; ++k) {
        const double factor = a[static_cast<std::size_t>(i) * n + k];
        for (std::size_t j = 0; j < n; ++j) row[j] += factor * b[k * n + j];
      }
      return std::uint64_t{0};
    });
  }
  std::vector<double> bx(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) bx[i] += b[i * n + j] * static_cast<double>(j % 7);
  }
  for (std::size_t i = 0; i < n; ++i) {
    double left = 0, right = 0;
    for (std::size_t j = 0; j < n; ++j) {
      left += c[i * n + j] * static_cast<double>(j % 7);
      right += a[i * n + j] * bx[j];
    }
    if (left != right) kit::wrong("c x is not a (b x)");
  }
  return kit::hash(c.data(), c.size() * sizeof(double));
}

// Pairs of normal deviates by the polar method, counted by the square they fall in (after NPB's EP): a
// reduction a step.
std::uint64_t normal_deviates(const Job& job) {
  std::uint64_t sum = 0;
  for (std::int64_t step = 0; step < job.steps; ++step) {
    const std::uint64_t accepted = region(job, job.size, [&](std::int64_t batch) {
      kit::Random random(static_cast<std::uint64_t>(step * job.size + batch));
      std::uint64_t counts = 0;
      for (int i = 0; i < 256; ++i) {
        const double x = 2 * random.unit() - 1, y = 2 * random.unit() - 1;
        const double r = x * x + y * y;
        if (r > 1 || r == 0) continue;
        const double scale = std::sqrt(-2 * std::log(r) / r);
        const double ring = std::fmax(std::fabs(x * scale), std::fabs(y * scale));
        counts += 1 + (static_cast<std::uint64_t>(ring) << 32);
      }
      return counts;
    });
    // A point of the square lies in the circle with chance pi/4.
    const double share = static_cast<double>(accepted & 0xffffffff) / (256.0 * static_cast<double>(job.size));
    if (job.size >= 64 && std::fabs(share - 0.785398) > 0.05) kit::wrong("too few pairs in the circle");
    sum += kit::item(static_cast<std::uint64_t>(step), accepted);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv, "--kernel=stencil|matmul|reduce [--size=N] [--steps=N] [--runtime=openmp] [--threads=N]");
  const std::string kernel = arguments.text("kernel", "stencil");
  const struct {
    const char* name;
    std::uint64_t (*run)(const Job&);
    long size, steps;
  } kernels[] = {{"stencil", stencil, 128, 100'000},
                 {"matmul", matrix_product, 768, 4},
                 {"reduce", normal_deviates, 512, 500}};
  Job job;
  job.runtime = kit::runtime_of(arguments, "openmp");
  job.threads = static_cast<unsigned>(arguments.number("threads", 0));
  for (const auto& k : kernels) {
    if (kernel != k.name) continue;
    job.size = arguments.number("size", k.size);
    job.steps = arguments.number("steps", k.steps);
    if (job.size < 3) arguments.fail("--size is at least 3");
    arguments.finish();
    const double began = kit::now();
    const std::uint64_t sum = k.run(job);
    kit::print_result(sum, kit::now() - began, static_cast<std::uint64_t>(job.steps));
    return 0;
  }
  arguments.fail("--kernel=" + kernel + ": no such kernel");
}
