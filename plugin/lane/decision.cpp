// SPDX-License-Identifier: Apache-2.0
#include "lane/decision.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "lane/asks.h"
#include "lane/gomp.h"
#include "lane/laid_out.h"
#include "lane/marks.h"
#include "sys/file.h"
#include "sys/loader.h"
#include "sys/raw.h"

namespace weir::lane {
namespace {

template <std::size_t room>
void copy(char (&into)[room], const char* text) {
  std::size_t length = strnlen(text, room - 1);
  std::memcpy(into, text, length);
  into[length] = 0;
}

void add(Decision& decision, Evidence evidence, const char* object, const char* name, const char* meaning) {
  if (decision.count++ >= Decision::kept) return;
  Finding& finding = decision.findings[decision.count - 1];
  finding.evidence = evidence;
  finding.meaning = meaning;
  copy(finding.object, object);
  copy(finding.name, name);
}

constexpr const char* variables_of_threads = "variables each thread has its own copy of";

void judge_thread_storage(const Image& image, const char* object, Decision& decision) {
  constexpr const char* meaning = "a variable each thread has its own copy of";
  bool named = false;
  image.each_thread_variable([&](const char* name) {
    add(decision, Evidence::thread_storage, object, name, meaning);
    named = true;
  });
  if (!named) add(decision, Evidence::thread_storage, object, "", variables_of_threads);
}

}  // namespace

void judge(const Image& image, const char* path, Decision& decision, bool (*only_shares)(void*), void* argument) {
  const char* object = file_name(path);
  ++decision.objects;
  if (is_runtime(object)) return;
  if (const char* meaning = thread_bound_library(object)) {
    add(decision, Evidence::thread_bound_library, object, "", meaning);
    return;
  }
  if (keeps_storage(object, image.thread_bytes())) judge_thread_storage(image, object, decision);
  image.each_import([&](const char* name, unsigned type) {
    if (const char* meaning = thread_bound_import(name)) {
      if (is_harmless_import(object, name)) return;
      if (is_name(name, "omp_get_thread_num") && only_shares(argument)) return;
      add(decision, Evidence::thread_import, object, name, meaning);
    } else if (type == STT_TLS && !is_harmless_thread_variable(name)) {
      add(decision, Evidence::thread_storage, object, name, "another object's variable, one copy a thread");
    }
  });
}

int judge_file(const char* path, Decision& decision) {
  Result fd = sys::open(path, O_RDONLY | O_CLOEXEC);
  if (failed(fd)) return static_cast<int>(fd);
  struct stat status;
  Result known = sys::fstat(static_cast<int>(fd), &status);
  Result mapped = failed(known) ? known : status.st_size == 0 ? -ENOEXEC
      : sys::raw(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  sys::close(static_cast<int>(fd));
  if (failed(mapped)) return static_cast<int>(mapped);
  Image image = Image::of_file(reinterpret_cast<void*>(mapped), status.st_size);
  auto by_code = [](void* name) {
    LaidOut file(static_cast<const char*>(name));
    return file.whole() && lane::only_shares(file.object());
  };
  if (image.valid()) judge(image, path, decision, by_code, const_cast<char*>(path));
  sys::raw(SYS_munmap, mapped, status.st_size);
  return image.valid() ? 0 : -ENOEXEC;
}

namespace {

bool only_shares_loaded(Loaded& loaded, const dl_phdr_info& info) {
  if (loaded.gone != info.dlpi_subs) loaded.read_count = 0;  // another may lie where one was
  loaded.gone = info.dlpi_subs;
  for (int i = 0; i < loaded.read_count; ++i) {
    if (loaded.read[i].base == info.dlpi_addr) return loaded.read[i].only_shares;
  }
  bool only = loaded.read_count < Loaded::most_read && only_shares(Object::of(info));
  if (loaded.read_count < Loaded::most_read) loaded.read[loaded.read_count++] = {info.dlpi_addr, only};
  return only;
}

// What is looked at of each object: each step takes longer than the one before, and sees what that saw, too.
enum class Depth { headers, names, code };

void judge_by_headers(const dl_phdr_info& info, const char* path, Decision& decision) {
  const char* object = file_name(path);
  ++decision.objects;
  std::uint64_t bytes = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) bytes += info.dlpi_phdr[i].p_type == PT_TLS ? info.dlpi_phdr[i].p_memsz : 0;
  if (is_runtime(object)) return;
  const char* meaning = thread_bound_library(object);
  if (meaning) add(decision, Evidence::thread_bound_library, object, "", meaning);
  else if (keeps_storage(object, bytes)) add(decision, Evidence::thread_storage, object, "", variables_of_threads);
}

class Look {
 public:
  Look(Loaded& loaded, Reasons wanted) : loaded_(loaded), wanted_(wanted) {
    Result length = sys::raw(SYS_readlink, sys::word("/proc/self/exe"), sys::word(program_), sizeof program_ - 1);
    if (length <= 0) copy(program_, "the program");
  }

  void over() {
    if (wanted_ == Reasons::all) return at(Depth::code);
    at(Depth::headers);
    if (!is_enough()) at(Depth::names);
    if (!is_enough() && some_unread_) at(Depth::code);
  }

 private:
  bool is_enough() const { return wanted_ == Reasons::first && loaded_.decision.count > 0; }

  void at(Depth depth) {
    depth_ = depth;
    loaded_.decision.count = loaded_.decision.objects = 0;
    sys::each_object(
        [](dl_phdr_info* info, std::size_t, void* look) {
          auto& now = *static_cast<Look*>(look);
          now.at(*info);
          return static_cast<int>(now.is_enough());
        },
        this);
  }

  void at(const dl_phdr_info& info) {
    // The main program has no name here.
    const char* path = info.dlpi_name && *info.dlpi_name ? info.dlpi_name : program_;
    object_ = &info;
    if (depth_ == Depth::headers) return judge_by_headers(info, path, loaded_.decision);
    auto by_code = [](void* look) {
      auto& now = *static_cast<Look*>(look);
      now.some_unread_ |= now.are_seen_ && now.depth_ != Depth::code;
      return now.are_seen_ && (now.depth_ != Depth::code || only_shares_loaded(now.loaded_, *now.object_));
    };
    judge(Image::of_loaded(info.dlpi_addr, info.dlpi_phdr, info.dlpi_phnum), path, loaded_.decision, by_code, this);
  }

  Loaded& loaded_;
  Reasons wanted_;
  Depth depth_ = Depth::code;
  bool are_seen_ = !has_only_libgomp();  // else nobody tells us when a thread is in a team
  bool some_unread_ = false;
  const dl_phdr_info* object_ = nullptr;
  char program_[256] = {};
};

}  // namespace

bool refresh(Loaded& loaded, Reasons wanted) {
  // Counted before, not after: what comes while we look is looked at anew.
  unsigned long long there = count_loaded();
  if (loaded.seen == there) return false;
  loaded.seen = there;
  Look(loaded, wanted).over();
  return true;
}

void find_all_reasons(Loaded& loaded) {
  if (loaded.decision.count) Look(loaded, Reasons::all).over();
}

unsigned long long count_loaded() {
  unsigned long long count = 0;
  sys::each_object(
      [](dl_phdr_info* info, std::size_t, void* count_) {
        *static_cast<unsigned long long*>(count_) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace weir::lane
