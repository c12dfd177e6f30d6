# SPDX-License-Identifier: Apache-2.0
weir_app_parts_test(blackscholes option.cpp option_file.cpp)
weir_app_same_everywhere(blackscholes files "--input=@/in --files=20 --size=50" "--input=@/in --output=@/out --rounds=2")
weir_app_same_everywhere(blackscholes one "--input=@/in --size=5000" "--input=@/in --output=@/out --rounds=2")
