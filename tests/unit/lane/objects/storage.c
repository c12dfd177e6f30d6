/* SPDX-License-Identifier: Apache-2.0 */
_Thread_local int weir_test_shared_counter;
static _Thread_local int weir_test_private_counter;

int weir_test_storage(void) { return ++weir_test_shared_counter + ++weir_test_private_counter; }
