// SPDX-License-Identifier: Apache-2.0
// Tasks that ask for their slot's number when there are stand-ins already: numbers go round among those that are left.
// auto: parked + suspended >= 30
// park: suspended == 0 and parked >= 100 and peak_in_flight >= 4
#include "numbered.h"

int main() { ask_at_last(); }
