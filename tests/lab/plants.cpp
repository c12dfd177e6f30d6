// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "plant.h"

namespace lab {
namespace {

Curve curve(const std::function<double(int)>& f) {
  Curve c(kmax + 1, 0.0);
  for (int k = 1; k <= kmax; ++k) c[k] = f(k);
  return c;
}

Curve to_a_knee(double each, double knee) {
  return curve([=](int k) { return each * std::min<double>(k, knee); });
}

// Rises to the knee, then seeks eat the gain.
Curve spinning(int knee, double first, double floor, double slope) {
  return curve([=](int k) {
    double peak = first * std::pow(knee, 0.55);
    return k <= knee ? first * std::pow(k, 0.55) : peak * std::max(floor, 1 / (1 + slope * (k - knee)));
  });
}

// 4 KiB random reads of a virtio disk at depth 1, 2, 4 ... 128.
Curve solid_state() {
  return curve([](int k) {
    constexpr double at[] = {12500, 23300, 40900, 57300, 76500, 92200, 104900, 110000};
    double x = std::log2(k);
    int i = std::min(static_cast<int>(x), 6);
    return at[i] + (at[i + 1] - at[i]) * (x - i);
  });
}

Curve compute_bound(double each, int cores, double penalty) {
  return curve([=](int k) { return each * std::min(k, cores) / (1 + penalty * std::max(0, k - cores)); });
}

Curve compute_and_wait(double compute_s, double wait_s, int cores, double device) {
  return curve([=](int k) {
    double free = k / (compute_s + wait_s);
    double crowd = std::max(0.0, k * compute_s / (compute_s + wait_s) - cores);
    double bound = cores / compute_s / (1 + 0.01 * crowd);
    auto lower = [](double a, double b) { return std::pow(std::pow(a, -8) + std::pow(b, -8), -1.0 / 8); };
    return lower(lower(free, bound), device);
  });
}

Curve humps(int first, int valley, int second) {
  return curve([=](int k) {
    double shelf = 200.0 * first, peak = shelf + 2 * (valley - first) + 60 * (second - valley);
    if (k <= first) return 200.0 * k;
    if (k <= valley) return shelf + 2.0 * (k - first);
    if (k <= second) return shelf + 2.0 * (valley - first) + 60.0 * (k - valley);
    return peak * std::max(0.6, 1 / (1 + 0.005 * (k - second)));
  });
}

// A curve and a capacity until a moment; repeats after the last.
struct Phase {
  double until_s;
  int curve;
  double capacity;
};
auto phases(std::vector<Phase> list, bool named = false) {
  return [=](const Plant& plant, double t) {
    t = std::fmod(t, list.back().until_s);
    for (const Phase& p : list)
      if (t < p.until_s)
        return Moment{.curve = &plant.curves[p.curve], .capacity = p.capacity,
                      .region = named ? p.curve + 1u : 0u};
    return Moment{};
  };
}

auto drifting(int low, int high, double period_s) {
  return [=](const Plant& plant, double t) {
    double middle = (high - low) / 2.0;
    return Moment{.curve = &plant.curves[static_cast<int>(middle + middle * std::sin(2 * M_PI * t / period_s))]};
  };
}

std::vector<Curve> knees(double each, int low, int high) {
  std::vector<Curve> list;
  for (int knee = low; knee <= high; ++knee) list.push_back(to_a_knee(each, knee));
  return list;
}

auto bursts(double period_s, double on_s, double high, double low) {
  return [=](const Plant&, double t) { return Moment{.demand = std::fmod(t, period_s) < on_s ? high : low}; };
}

auto op_bytes(double bytes) {
  return [=](const Plant&, double) { return Moment{.op_bytes = bytes}; };
}

auto cached_until(double s, double rate) {
  return [=](const Plant&, double t) { return Moment{.fixed = t < s ? rate : 0}; };
}

auto sizes_that_vary(double period_s, double small, double large) {
  return [=](const Plant&, double t) { return Moment{.op_bytes = std::fmod(t, period_s) < period_s / 2 ? small : large}; };
}

}  // namespace

std::vector<Plant> plants() {
  constexpr double ever = 1e9;
  std::vector<Curve> three = {to_a_knee(500, 8), to_a_knee(250, 48), spinning(4, 500, 0.35, 0.06)};
  std::vector<Phase> turns = {{70, 0, 1}, {150, 1, 1}, {220, 2, 1}};
  return {
      {.name = "linear to a knee at 24", .bar = 1, .curves = {to_a_knee(500, 24)}},
      {.name = "spinning disk, best at 4", .bar = 5, .curves = {spinning(4, 60, 0.35, 0.06)}, .at = op_bytes(1 << 20),
       .fast_noise = 0.15, .slow_noise = 0.06, .delay_down = 4},
      {.name = "solid state", .bar = 2.5, .curves = {solid_state()}, .fast_noise = 0.05, .slow_noise = 0.02},
      {.name = "solid state, 2 cores", .bar = 2.5, .curves = {solid_state()}, .fast_noise = 0.05, .slow_noise = 0.02,
       .cores = 2},
      {.name = "compute only", .bar = 1.5, .curves = {compute_bound(100, 16, 0.02)}, .compute_only = true},
      {.name = "three phases, unnamed", .bar = 6, .curves = three, .at = phases(turns)},
      {.name = "three phases, named", .bar = 2, .curves = three, .at = phases(turns, true)},
      {.name = "neighbour takes half twice", .bar = 3.5, .curves = {solid_state()},
       .at = phases({{200, 0, 1}, {260, 0, 0.5}, {400, 0, 1}, {430, 0, 0.5}, {ever, 0, 1}}), .fast_noise = 0.05},
      {.name = "bursty demand", .bar = 1, .curves = {to_a_knee(100, 12)}, .at = bursts(7, 3, 900, 15)},
      {.name = "few large operations", .bar = 2.5, .curves = {to_a_knee(2.5, 8)}, .at = op_bytes(64 << 20),
       .delay_down = 6},
      {.name = "compute and wait, 8 cores", .bar = 3.5, .curves = {compute_and_wait(0.004, 0.012, 8, 1900)},
       .cores = 8, .compute_ms = 4},
      {.name = "two humps", .bar = 6, .curves = {humps(4, 12, 32)}},
      {.name = "drifting knee", .bar = 3, .curves = knees(500, 6, 64), .at = drifting(6, 64, 400)},
      {.name = "flat from 2 on", .bar = 1, .curves = {to_a_knee(5000, 2)}},
      {.name = "swings of 35 %", .bar = 5, .curves = {solid_state()}, .square_period = 2, .square_share = 0.35},
      {.name = "page cache, then disk", .bar = 3, .curves = {spinning(6, 400, 0.4, 0.04)},
       .at = cached_until(20, 3000)},
  };
}

std::vector<Plant> variants() {
  constexpr double ever = 1e9;
  Curve soft = curve([](int k) { return 20000.0 * k / (k + 12); });
  return {
      {.name = "knee at 100", .bar = 2, .curves = {to_a_knee(80, 100)}},
      {.name = "knee at 100, 2 cores", .bar = 3, .curves = {to_a_knee(80, 100)}, .cores = 2},
      {.name = "best is 1", .bar = 4, .curves = {spinning(1, 100, 0.3, 0.15)}, .fast_noise = 0.12},
      {.name = "spinning, best at 16", .bar = 4, .curves = {spinning(16, 60, 0.3, 0.05)}, .fast_noise = 0.15,
       .slow_noise = 0.06, .delay_down = 4},
      {.name = "spinning, noisy, 2 cores", .bar = 8, .curves = {spinning(6, 30, 0.3, 0.1)}, .fast_noise = 0.3,
       .slow_noise = 0.1, .cores = 2, .delay_down = 4},
      {.name = "soft knee", .bar = 4, .curves = {soft}},
      {.name = "knee, then slowly down", .bar = 4,
       .curves = {curve([](int k) { return k <= 10 ? 300.0 * k : 3000 * std::max(0.5, 1 - 0.004 * (k - 10)); })}},
      {.name = "knee moves 8 -> 64 -> 8", .bar = 4, .curves = {to_a_knee(400, 8), to_a_knee(400, 64)},
       .at = phases({{150, 0, 1}, {350, 1, 1}, {ever, 0, 1}})},
      {.name = "device throttled to a fifth", .bar = 4, .curves = {to_a_knee(400, 40)},
       .at = phases({{200, 0, 1}, {300, 0, 0.2}, {ever, 0, 1}})},
      {.name = "long pauses", .bar = 3, .curves = {to_a_knee(100, 30)}, .at = bursts(60, 30, 1e9, 0)},
      {.name = "demand of a third", .bar = 2, .curves = {to_a_knee(100, 30)}, .at = bursts(10, 10, 1000, 0)},
      {.name = "sizes vary", .bar = 2, .curves = {to_a_knee(500, 20)}, .at = sizes_that_vary(3, 4096, 1 << 20)},
      {.name = "very few operations", .bar = 6, .curves = {to_a_knee(0.5, 6)}, .delay_down = 10},
      {.name = "humps at 6 and 48", .bar = 8, .curves = {humps(6, 20, 48)}},
      {.name = "compute and wait, 2 cores", .bar = 4, .curves = {compute_and_wait(0.002, 0.03, 2, 1e9)}, .cores = 2,
       .compute_ms = 2},
      {.name = "swings of 50 % every 8 s", .bar = 8, .curves = {to_a_knee(300, 20)}, .square_period = 8,
       .square_share = 0.5},
      {.name = "knee drifts slowly", .bar = 4, .curves = knees(200, 10, 90), .at = drifting(10, 90, 900)},
      {.name = "64 cores, knee at 12", .bar = 2, .curves = {to_a_knee(500, 12)}, .cores = 64},
      {.name = "64 cores, spinning", .bar = 6, .curves = {spinning(3, 80, 0.25, 0.1)}, .fast_noise = 0.15, .cores = 64},
  };
}

}  // namespace lab
