// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::api {

// The page that `weir top` reads (meter/page.h), and the thread that writes it: it sleeps until somebody asks. Both come
// when a call first has to wait, so programs that never wait have neither.
void ready_to_show();     // once, before threads are
void show();              // from any thread; a page that can't be had is none
void showing_after_fork();

}  // namespace weir::api
