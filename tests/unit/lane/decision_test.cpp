// SPDX-License-Identifier: Apache-2.0
#include "lane/decision.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

namespace weir::lane {
namespace {

std::string object(const char* name) { return std::string(LANE_OBJECTS_FOLDER "/") + name; }

Decision decide(const char* name) {
  Decision decision;
  EXPECT_EQ(judge_file(object(name).c_str(), decision), 0) << name;
  EXPECT_EQ(decision.objects, 1);
  return decision;
}

std::string told(const Decision& decision) {
  std::string text;
  for (int i = 0; i < decision.count && i < Decision::kept; ++i) {
    text += std::string(decision.findings[i].object) + ": " + decision.findings[i].name + "\n";
  }
  return text;
}

bool has(const Decision& decision, const char* of, const char* name) {
  for (int i = 0; i < decision.count && i < Decision::kept; ++i) {
    if (std::string(of) == decision.findings[i].object && std::string(name) == decision.findings[i].name) return true;
  }
  return false;
}

TEST(Decision, LetsAnObjectThatKnowsNothingOfThreadsSuspend) {
  EXPECT_EQ(told(decide("plain.so")), "");
}

TEST(Decision, ParksForThreadLocalStorageAndNamesIt) {
  Decision decision = decide("storage.so");
  EXPECT_FALSE(decision.may_suspend());
  EXPECT_TRUE(has(decision, "storage.so", "weir_test_shared_counter"));
  EXPECT_TRUE(has(decision, "storage.so", "weir_test_private_counter"));
  EXPECT_FALSE(decide("stripped.so").may_suspend());
}

TEST(Decision, ParksForAnotherObjectsThreadLocalStorage) {
  EXPECT_TRUE(has(decide("borrows_storage.so"), "borrows_storage.so", "weir_test_shared_counter"));
}

TEST(Decision, ParksForEachNameThatAsksForTheThread) {
  Decision decision = decide("identity.so");
  EXPECT_TRUE(has(decision, "identity.so", "pthread_self"));
  EXPECT_TRUE(has(decision, "identity.so", "sched_getcpu"));
  EXPECT_FALSE(decide("old_hash.so").may_suspend());
  EXPECT_FALSE(decide("program_dynamic").may_suspend());
}

TEST(Decision, ParksForTheThreadNumberOfATeam) {
  EXPECT_TRUE(has(decide("thread_number.so"), "thread_number.so", "omp_get_thread_num"));
}

TEST(Decision, DoesNotMindANumberThatOnlyPicksAShareOfALoop) {
  EXPECT_EQ(told(decide("static_loop.so")), "");
}

TEST(Decision, TellsAContainerAThreadFromALoopOfOneTbb) {
  EXPECT_FALSE(decide("local_container.so").may_suspend());
  EXPECT_EQ(told(decide("parallel_for.so")), "");
}

TEST(Decision, DoesNotMindCallOnce) { EXPECT_EQ(told(decide("call_once.so")), ""); }

TEST(Decision, DoesNotMindWhatIsKnownOfALibrary) {
  EXPECT_TRUE(has(decide("masks.so"), "masks.so", "pthread_sigmask"));
  EXPECT_EQ(told(decide("liblzma.so")), "");
  EXPECT_EQ(told(decide("libjpeg.so")), "");
}

TEST(Decision, MindsWhatElseSuchALibraryHas) {
  EXPECT_TRUE(has(decide("liblzma.so.other.so"), "liblzma.so.other.so", "pthread_self"));
  EXPECT_TRUE(has(decide("libjpeg.so.other.so"), "libjpeg.so.other.so", "weir_test_one_more"));
}

TEST(Decision, DoesNotLookIntoTheRuntimes) {
  Decision decision;
  Dl_info libc;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&::getenv), &libc), 0);
  EXPECT_EQ(judge_file(libc.dli_fname, decision), 0);
  EXPECT_TRUE(decision.may_suspend());
}

TEST(Decision, KnowsThreadBoundLibrariesByName) {
  std::string path = object("plain.so");
  Decision decision;
  judge(Image{}, "/opt/lib/libpython3.11.so.1.0", decision, nullptr, nullptr);
  judge(Image{}, "/opt/lib/libmpi.so.40", decision, nullptr, nullptr);
  judge(Image{}, "/opt/lib/libmpiric_acid.so", decision, nullptr, nullptr);
  EXPECT_EQ(decision.count, 2);
  EXPECT_TRUE(has(decision, "libpython3.11.so.1.0", ""));
}

TEST(Decision, SaysWhyAFileCannotBeJudged) {
  Decision decision;
  EXPECT_EQ(judge_file("/nonexistent", decision), -ENOENT);
  EXPECT_EQ(judge_file("/etc/passwd", decision), -ENOEXEC);
  EXPECT_EQ(judge_file("/dev/null", decision), -ENOEXEC);
}

TEST(Loaded, IsRefreshedByWhatWasLoadedSince) {
  auto loaded = std::make_unique<Loaded>();
  EXPECT_TRUE(refresh(*loaded));
  EXPECT_FALSE(refresh(*loaded));
  EXPECT_FALSE(has(loaded->decision, "storage.so", "weir_test_shared_counter"));
  void* handle = dlopen(object("storage.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_TRUE(refresh(*loaded));
  EXPECT_TRUE(has(loaded->decision, "storage.so", "weir_test_shared_counter"));
  dlclose(handle);
}

// This program has reasons of its own, one of which is enough for the lane.
TEST(Loaded, HasItsOtherReasonsWhenTheyAreAskedFor) {
  auto all = std::make_unique<Loaded>(), first = std::make_unique<Loaded>();
  EXPECT_TRUE(refresh(*all));
  EXPECT_TRUE(refresh(*first, Reasons::first));
  EXPECT_GT(all->decision.count, 1);
  EXPECT_EQ(first->decision.count, 1);
  EXPECT_FALSE(refresh(*first, Reasons::first));
  find_all_reasons(*first);
  EXPECT_EQ(told(first->decision), told(all->decision));
  EXPECT_EQ(first->decision.objects, all->decision.objects);
}

// A loaded object is read through other tables than a file: both must tell the same.
TEST(Loaded, FindsInMemoryTheImportsThatAreInTheFile) {
  for (const char* name : {"identity.so", "old_hash.so", "plain.so"}) {
    void* handle = dlopen(object(name).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    Decision file = decide(name);
    auto loaded = std::make_unique<Loaded>();
    refresh(*loaded);
    int in_memory = 0;
    for (int i = 0; i < loaded->decision.count && i < Decision::kept; ++i) {
      in_memory += std::string(loaded->decision.findings[i].object) == name;
    }
    EXPECT_EQ(in_memory, file.count) << name;
    for (int i = 0; i < file.count; ++i) EXPECT_TRUE(has(loaded->decision, name, file.findings[i].name)) << name;
    dlclose(handle);
  }
}

}  // namespace
}  // namespace weir::lane
