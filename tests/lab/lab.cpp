// SPDX-License-Identifier: Apache-2.0
// The table: what each plant loses under the controller. lab [seconds] [seeds] [weir|iopa] [only]
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "control/controller.h"
#include "plant.h"

using namespace weir::control;

int main(int argc, char** argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 600;
  unsigned seeds = argc > 2 ? std::atoi(argv[2]) : 3;
  Algorithm algorithm = argc > 3 && !std::strcmp(argv[3], "iopa") ? Algorithm::iopa : Algorithm::weir;
  const char* only = argc > 4 ? argv[4] : "";
  int over = 0;
  for (const auto& list : {lab::plants(), lab::variants()}) {
    double sum = 0;
    int count = 0;
    for (const lab::Plant& plant : list) {
      if (plant.name.find(only) == std::string::npos) continue;
      double regret = 0, worst = 0, settled = 0;
      lab::Outcome one;
      for (unsigned seed = 1; seed <= seeds; ++seed) {
        Controller controller(algorithm, {plant.cores, lab::kmax});
        one = lab::run(plant, [&](const Sample& s) { return controller.step(s).limit; }, seconds, seed);
        regret += one.regret / seeds;
        worst = one.regret > worst ? one.regret : worst;
        settled += one.settled_s / seeds;
      }
      bool missed = regret > plant.bar;
      over += missed;
      sum += regret;
      ++count;
      std::printf("%-30s %6.2f %6.2f %5.1f %9.1f %4d %5d%s\n", plant.name.c_str(), regret, worst, plant.bar, settled,
                  one.last_k, one.moves, missed ? "  <- over the bar" : "");
    }
    if (count) std::printf("mean %.2f %% over %d plants\n\n", sum / count, count);
  }
  return over ? 1 : 0;
}
