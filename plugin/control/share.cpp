// SPDX-License-Identifier: Apache-2.0
#include "control/share.h"

#include <algorithm>

namespace weir::control {
namespace {
constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::int64_t gone_after_ns = 2'000'000'000;
}  // namespace

bool Share::join(SharedPage* page, std::int32_t process) {
  std::uint32_t layout = 0;
  if (!page->layout.compare_exchange_strong(layout, SharedPage::this_layout) && layout != SharedPage::this_layout) return false;
  for (int i = 0; i < SharedPage::places; ++i) {
    SharedMember& member = page->members[i];
    std::int32_t nobody = 0;
    if (!member.process.compare_exchange_strong(nobody, process)) continue;
    page_ = page;
    place_ = i;
    process_ = process;
    rest();
    return true;
  }
  return false;
}

void Share::leave() {
  if (!joined()) return;
  rest();
  page_->members[place_].process.store(0);
}

void Share::tell(const Reading& mine) {
  SharedMember& me = page_->members[place_];
  me.storage_ops.store(mine.storage_ops, relaxed);
  me.storage_bytes.store(mine.storage_bytes, relaxed);
  me.blocked_ns.store(mine.blocked_ns, relaxed);
  me.cpu_ns.store(mine.cpu_ns, relaxed);
  me.held.store(static_cast<std::int32_t>(mine.held), relaxed);
  me.waiting.store(static_cast<std::int32_t>(mine.waiting), relaxed);
  me.beat_ns.store(mine.now_ns, relaxed);
  me.answered.store(page_->asked.load(relaxed), std::memory_order_release);
}

void Share::rest() { page_->members[place_].beat_ns.store(0); }

bool Share::there(const SharedMember& member, std::int64_t now_ns) const {
  std::int64_t beat_ns = member.beat_ns.load(relaxed);
  return member.process.load(relaxed) && beat_ns && now_ns - beat_ns < gone_after_ns;
}

Share::View Share::look(std::int64_t now_ns) const {
  View view;
  for (int i = 0; i < SharedPage::places; ++i) {
    const SharedMember& member = page_->members[i];
    if (!there(member, now_ns)) continue;
    if (view.members++ == 0) view.leads = i == place_;
    view.company = (view.company ^ static_cast<std::uint64_t>(member.process.load(relaxed))) * 0x100000001b3u;
  }
  return view;
}

void Share::ask() { page_->asked.fetch_add(1); }

bool Share::answered(std::int64_t now_ns) const {
  std::uint32_t asked = page_->asked.load(relaxed);
  for (int i = 0; i < SharedPage::places; ++i) {
    const SharedMember& member = page_->members[i];
    if (i != place_ && there(member, now_ns) && member.answered.load(std::memory_order_acquire) != asked) return false;
  }
  return true;
}

Reading Share::sum(const Reading& mine) const {
  Reading all = mine;
  for (int i = 0; i < SharedPage::places; ++i) {
    const SharedMember& member = page_->members[i];
    if (i == place_ || !there(member, mine.now_ns)) continue;
    all.storage_ops += member.storage_ops.load(relaxed);
    all.storage_bytes += member.storage_bytes.load(relaxed);
    all.blocked_ns += member.blocked_ns.load(relaxed);
    all.cpu_ns += member.cpu_ns.load(relaxed);
    all.held += member.held.load(relaxed);
    all.waiting += member.waiting.load(relaxed);
    all.region = 0;  // what they do together has no name
  }
  return all;
}

void Share::set_total(int total) { page_->total.store(total, relaxed); }

int Share::part(std::int64_t now_ns) const {
  std::array<int, SharedPage::places> wants;
  int count = 0, before_me = 0;
  for (int i = 0; i < SharedPage::places; ++i) {
    const SharedMember& member = page_->members[i];
    if (i != place_ && !there(member, now_ns)) continue;
    if (i == place_) before_me = count;
    wants[count++] = std::max(1, member.held.load(relaxed) + member.waiting.load(relaxed));
  }
  int mine = wants[before_me];
  std::sort(wants.begin(), wants.begin() + count);
  // From the most modest on: who wants less than an even part of what is left gets what it wants.
  int left = total(), sharers = count;
  for (int i = 0; i < count && wants[i] < left / sharers; ++i) {
    if (wants[i] == mine) return mine + (left - mine) / (2 * sharers);  // and room to want more
    left -= wants[i];
    --sharers;
  }
  return std::max(1, left / sharers + (before_me < left % sharers ? 1 : 0));
}

}  // namespace weir::control
