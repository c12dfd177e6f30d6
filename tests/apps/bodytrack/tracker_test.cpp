// SPDX-License-Identifier: Apache-2.0
#include "tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sequence.h"

namespace bodytrack {
namespace {

void in_order(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

void backwards_on_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = count; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
}

class Sequence : public testing::Test {
 protected:
  Sequence()
      : folder_(testing::TempDir() + "bodytrack_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~Sequence() override { std::filesystem::remove_all(folder_); }

  void generate(std::size_t frames, std::uint64_t seed) {
    Recording recording;
    recording.cameras = 4;
    recording.frames = frames;
    recording.width = 160;
    recording.height = 120;
    generate_sequence(folder_, recording, seed);
  }

  std::vector<View> views(std::size_t frame) const {
    std::vector<View> views;
    for (std::size_t camera = 0; camera < 4; ++camera) {
      const Image image = read_pgm(frame_path(folder_, camera, frame));
      views.push_back({edges_of(image), foreground_of(image, read_pgm(background_path(folder_, camera)))});
    }
    return views;
  }

  std::vector<Pose> track(std::size_t particles, const ForEach& for_each) const {
    const Recording recording = read_recording(folder_);
    Tracker tracker(recording.start, cameras_around(4, 160, 120), particles, 5, 1);
    std::vector<Pose> poses;
    for (std::size_t frame = 0; frame < recording.frames; ++frame)
      poses.push_back(tracker.follow(views(frame), for_each));
    return poses;
  }

  std::string folder_;
};

// The stated error: on images of 160 x 120, where a pixel is 2 cm, with 200 particles, the limbs' ends are on
// average within 6 cm of where they are, and within 12 cm in the worst frame.
TEST_F(Sequence, FollowsAKnownMotion) {
  generate(30, 1);
  const auto truth = read_poses(folder_ + "/truth.txt");
  const auto poses = track(200, in_order);
  ASSERT_EQ(poses.size(), truth.size());
  double sum = 0, worst = 0;
  for (std::size_t frame = 0; frame < poses.size(); ++frame) {
    const double error = mean_distance(poses[frame], truth[frame]);
    sum += error;
    worst = std::max(worst, error);
  }
  EXPECT_LT(sum / static_cast<double>(poses.size()), 0.06);
  EXPECT_LT(worst, 0.12);
  // Whoever had stayed where it started would be far off by now.
  EXPECT_GT(mean_distance(truth.front(), truth.back()), 0.3);
}

TEST_F(Sequence, DoesNotDependOnTheSchedule) {
  generate(3, 2);
  EXPECT_EQ(track(64, in_order), track(64, backwards_on_threads));
}

TEST_F(Sequence, TheTruthFitsBetterThanItsSurroundings) {
  generate(2, 3);
  const Pose truth = read_poses(folder_ + "/truth.txt")[1];
  const auto seen = views(1);
  const auto cameras = cameras_around(4, 160, 120);
  const double fits = misfit(truth, cameras, seen);
  for (std::size_t freedom = 0; freedom < freedoms; ++freedom) {
    for (const double step : {-4.0, 4.0}) {
      Pose moved = truth;
      moved[freedom] += step * frame_deviation()[freedom];
      EXPECT_GT(misfit(moved, cameras, seen), fits) << "freedom " << freedom << " by " << step;
    }
  }
}

TEST_F(Sequence, RefusesWhatIsNoImage) {
  std::filesystem::create_directories(folder_);
  const std::string path = folder_ + "/image.pgm";
  std::ofstream(path) << "P5\n4 4\n255\nshort";
  EXPECT_THROW(read_pgm(path), std::runtime_error);
  std::ofstream(path) << "P6\n4 4\n255\n";
  EXPECT_THROW(read_pgm(path), std::runtime_error);
}

}  // namespace
}  // namespace bodytrack
