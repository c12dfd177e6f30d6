/* SPDX-License-Identifier: Apache-2.0 */
extern _Thread_local int weir_test_shared_counter;

int weir_test_borrows(void) { return ++weir_test_shared_counter; }
