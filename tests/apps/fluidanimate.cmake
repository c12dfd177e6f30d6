# SPDX-License-Identifier: Apache-2.0
weir_app_parts_test(fluidanimate fluid_file.cpp simulation.cpp)
weir_app_same_everywhere(fluidanimate files "--input=@/in --files=10 --size=500"
                         "--input=@/in --output=@/out --frames=2")
weir_app_same_everywhere(fluidanimate one "--input=@/in --size=3000" "--input=@/in --output=@/out --frames=3")
