// SPDX-License-Identifier: Apache-2.0
// Follows a body through the images of several cameras: one sequence, or a folder of sequences.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/folder.h"
#include "kit/result.h"
#include "kit/team.h"
#include "sequence.h"
#include "tracker.h"

namespace {

using namespace bodytrack;

struct Plan {
  std::string input, output;
  std::size_t particles;
  int layers;
  std::uint64_t seed;
};

// Reads each frame of each camera and tracks the body. `frame_done` is told each.
std::vector<Pose> track(const std::string& folder, const Plan& plan, const ForEach& for_each,
                        const std::function<void()>& frame_done) {
  const Recording recording = read_recording(folder);
  std::vector<Image> backgrounds(recording.cameras);
  for_each(recording.cameras, [&](std::size_t camera) {
    kit::or_end([&] { backgrounds[camera] = read_pgm(background_path(folder, camera)); });
  });

  Tracker tracker(recording.start, cameras_around(recording.cameras, recording.width, recording.height),
                  plan.particles, plan.layers, plan.seed);
  std::vector<Pose> poses;
  std::vector<View> views(recording.cameras);
  for (std::size_t frame = 0; frame < recording.frames; ++frame) {
    for_each(recording.cameras, [&](std::size_t camera) {
      kit::or_end([&] {
        const Image image = read_pgm(frame_path(folder, camera, frame));
        views[camera] = {edges_of(image), foreground_of(image, backgrounds[camera])};
      });
    });
    poses.push_back(tracker.follow(views, for_each));
    frame_done();
  }
  return poses;
}

std::uint64_t checksum_of(const std::vector<Pose>& poses, std::uint64_t key) {
  return kit::hash(poses.data(), poses.size() * sizeof(Pose), key);
}

void in_order(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

// Each sequence is read, tracked and its poses written by one thread.
std::uint64_t track_all(const kit::Team& team, const Plan& plan, const std::vector<std::string>& sequences) {
  std::filesystem::create_directories(plan.output);
  kit::Progress progress("bodytrack: sequences", sequences.size());
  return kit::sum_of(team, static_cast<std::int64_t>(sequences.size()), [&](std::int64_t i) {
    return kit::or_end([&] {
      const std::string& name = sequences[static_cast<std::size_t>(i)];
      const auto poses = track(plan.input + "/" + name, plan, in_order, [] {});
      write_poses(plan.output + "/" + name + ".poses", poses);
      progress.tick();
      return checksum_of(poses, static_cast<std::uint64_t>(i));
    });
  });
}

// One sequence: the cameras' images, then the particles of each layer, in parallel.
std::uint64_t track_one(const kit::Team& team, const Plan& plan) {
  kit::Progress progress("bodytrack: frames", read_recording(plan.input).frames);
  const auto poses = track(plan.input, plan, kit::for_each_of(team), [&] { progress.tick(); });
  write_poses(plan.output, poses);
  return checksum_of(poses, 0);
}

// How far the tracked body is from where it was, where that is known.
void print_error(const std::string& truth_path, const std::string& poses_path) {
  if (!std::filesystem::exists(truth_path)) return;
  const auto truth = read_poses(truth_path), poses = read_poses(poses_path);
  double sum = 0, worst = 0;
  for (std::size_t frame = 0; frame < poses.size() && frame < truth.size(); ++frame) {
    const double error = mean_distance(poses[frame], truth[frame]);
    sum += error;
    worst = error > worst ? error : worst;
  }
  std::printf("%s: mean_error_m=%.4f worst_frame_m=%.4f\n", poses_path.c_str(),
              poses.empty() ? 0 : sum / static_cast<double>(poses.size()), worst);
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(
      argc, argv,
      "--input=FOLDER [--output=FILE|FOLDER] [--particles=400] [--layers=5] [--compare]\n"
      "  [--runtime=openmp] [--threads=N]\n"
      "  [--generate [--files=SEQUENCES] --size=FRAMES --cameras=4 --width=160 --height=120] [--seed=S]");
  Plan plan;
  plan.input = arguments.text("input", "sequence");
  plan.output = arguments.text("output", plan.input + ".poses");
  plan.particles = static_cast<std::size_t>(arguments.number("particles", 400));
  plan.layers = static_cast<int>(arguments.number("layers", 5));
  plan.seed = static_cast<std::uint64_t>(arguments.number("seed", 1));
  const bool compare = arguments.flag("compare"), make = arguments.flag("generate");
  const long files = arguments.number("files", 0);
  Recording recording;
  recording.frames = static_cast<std::size_t>(arguments.number("size", 30));
  recording.cameras = static_cast<std::size_t>(arguments.number("cameras", 4));
  recording.width = static_cast<int>(arguments.number("width", 160));
  recording.height = static_cast<int>(arguments.number("height", 120));
  const kit::Team team = kit::team_of(arguments, "openmp");
  arguments.finish();
  if (plan.layers < 1 || plan.particles < 1) arguments.fail("--layers and --particles are at least 1");
  if (recording.width < 16 || recording.height < 16) arguments.fail("--width and --height are at least 16");
  return kit::or_end([&] {
    if (make && files == 0) return generate_sequence(plan.input, recording, plan.seed), 0;
    for (long i = 0; make && i < files; ++i)
      generate_sequence(kit::numbered(plan.input, i, ""), recording,
                        plan.seed + static_cast<std::uint64_t>(i));
    if (make) return 0;

    const bool one = std::filesystem::exists(plan.input + "/setup.txt");
    const auto sequences = one ? std::vector<std::string>{} : kit::folders_in(plan.input);
    const double began = kit::now();
    const std::uint64_t sum = one ? track_one(team, plan) : track_all(team, plan, sequences);
    const double seconds = kit::now() - began;
    if (compare && one) print_error(plan.input + "/truth.txt", plan.output);
    for (const auto& name : sequences) {
      if (compare) print_error(plan.input + "/" + name + "/truth.txt", plan.output + "/" + name + ".poses");
    }
    kit::print_result(sum, seconds, one ? 1 : sequences.size());
    return 0;
  });
}
