// SPDX-License-Identifier: Apache-2.0
#include "waiting.h"

#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/StringSet.h>

namespace weir::migrate {
namespace {

using namespace clang;

std::string lock_by(llvm::Twine name) { return ("takes a lock, by " + name).str(); }
std::string wait_by(llvm::Twine name) { return ("waits for others, by " + name).str(); }

std::string wait_of_c(llvm::StringRef name) {
  static const llvm::StringSet<> locks = {
      "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock",
      "pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock",
      "pthread_rwlock_wrlock", "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock",
      "pthread_spin_lock", "pthread_spin_trylock", "mtx_lock", "mtx_trylock", "mtx_timedlock", "pthread_once", "call_once",
      "flockfile"};
  static const llvm::StringSet<> waits = {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait",
                                          "cnd_timedwait", "sem_wait", "sem_timedwait", "sem_clockwait", "pthread_barrier_wait",
                                          "pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", "thrd_join"};
  if (locks.contains(name)) return lock_by(name);
  return waits.contains(name) ? wait_by(name) : "";
}

std::string wait_of_class(llvm::StringRef record, const CXXMethodDecl* method) {
  static const llvm::StringSet<> lockers = {"lock_guard", "unique_lock", "scoped_lock", "shared_lock"};
  static const llvm::StringSet<> waiting = {"condition_variable", "condition_variable_any", "counting_semaphore", "latch",
                                            "barrier", "atomic", "__atomic_base", "__atomic_float", "atomic_ref", "atomic_flag"};
  if (isa<CXXConstructorDecl>(method)) {
    if (lockers.contains(record)) return lock_by("std::" + record);
    return record == "jthread" ? wait_by("std::jthread") : "";  // its destructor does
  }
  if (!method->getIdentifier()) return "";
  llvm::StringRef name = method->getName();
  bool lock = name.starts_with("lock") || name.starts_with("try_lock");
  if (lock && (lockers.contains(record) || record.ends_with("mutex"))) return lock_by("std::" + record + "::" + name);
  bool joins = name == "join" && record.ends_with("thread");
  bool waits = name.starts_with("wait") || name == "arrive_and_wait" || name == "acquire" || name.starts_with("try_acquire_");
  if (!joins && !(waits && waiting.contains(record))) return "";
  return wait_by("std::" + (record.starts_with("__atomic") ? "atomic" : record) + "::" + name);
}

}  // namespace

std::string wait_of(const FunctionDecl* called) {
  if (auto* method = dyn_cast<CXXMethodDecl>(called)) {
    const CXXRecordDecl* record = method->getParent();
    return record->isInStdNamespace() && record->getIdentifier() ? wait_of_class(record->getName(), method) : "";
  }
  if (!called->getIdentifier()) return "";
  llvm::StringRef name = called->getName();
  if (called->isInStdNamespace()) {
    if (name == "lock" || name == "try_lock" || name == "call_once") return lock_by("std::" + name);
    return name.starts_with("atomic_wait") || name.starts_with("atomic_flag_wait") ? wait_by("std::" + name) : "";
  }
  return called->isExternC() ? wait_of_c(name) : "";
}

}  // namespace weir::migrate
