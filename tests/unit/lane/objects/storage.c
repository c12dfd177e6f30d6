/* SPDX-License-Identifier: Apache-2.0 */
_Thread_local int weir_test_shared_counter;
static _Thread_local int weir_test_private_counter;
#ifdef KEEPS_MORE
_Thread_local int weir_test_one_more;
#endif

int weir_test_storage(void) { return ++weir_test_shared_counter + ++weir_test_private_counter; }
