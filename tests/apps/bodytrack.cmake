# SPDX-License-Identifier: Apache-2.0
weir_app_parts_test(bodytrack body.cpp image.cpp sequence.cpp tracker.cpp)
weir_app_same_everywhere(bodytrack files "--input=@/in --files=6 --size=3"
                         "--input=@/in --output=@/out --particles=32 --layers=3")
weir_app_same_everywhere(bodytrack one "--input=@/in --size=4"
                         "--input=@/in --output=@/out --particles=64 --layers=4")
