// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <cstddef>

namespace weir::sys {

// dl_iterate_phdr, which holds a lock of the loader's meanwhile. A child forked by another thread right then would have that
// lock taken for good, and hang when it next loads something. So who forks waits until no thread of ours is in there.
int each_object(int (*look)(dl_phdr_info*, std::size_t, void*), void* subject);

// What an object that is loaded, under this path, defines, or one that it needs; nullptr: neither. By the path, for it may have been
// loaded for somebody's private use, and its names are in no general scope then.
void* definition_in(const char* object, const char* name);
// The same of the object that this address lies in.
void* definition_near(const void* address, const char* name);

// From here on libc calls the next three around each fork. Both waits are bounded: what forks in such a look, or looks while it forks,
// goes on.
void watch_forks();
void before_fork();
void after_fork_in_parent();
void loader_after_fork_in_child();

}  // namespace weir::sys
