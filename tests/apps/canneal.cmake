# SPDX-License-Identifier: Apache-2.0
weir_app_parts_test(canneal annealer.cpp netlist.cpp)
weir_app_same_everywhere(canneal files "--input=@/in --files=12 --size=200"
                         "--input=@/in --output=@/out --swaps=500 --steps=10")
weir_app_same_everywhere(canneal one "--input=@/in --size=8000"
                         "--input=@/in --output=@/out --swaps=4000 --steps=8 --batch=1000")
