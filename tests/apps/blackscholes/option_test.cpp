// SPDX-License-Identifier: Apache-2.0
#include "option.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "option_file.h"

namespace blackscholes {
namespace {

// Hull, Options, Futures and Other Derivatives, example 15.6: 4.76 for the call, 0.81 for the put; the digits
// are those of the erfc() form.
constexpr Option hull_call{42, 40, 0.1, 0, 0.2, 0.5, false, 0};

TEST(Option, PricesHullsExample) {
  EXPECT_NEAR(price(hull_call), 4.759422, 1e-4);
  Option put = hull_call;
  put.put = true;
  EXPECT_NEAR(price(put), 0.808600, 1e-4);
}

TEST(Option, CallLessPutIsTheForward) {
  for (const double strike : {20.0, 40.0, 42.0, 80.0}) {
    Option call = hull_call;
    call.strike = strike;
    Option put = call;
    put.put = true;
    EXPECT_NEAR(price(call) - price(put), 42 - strike * std::exp(-0.1 * 0.5), 1e-4);
  }
}

TEST(Option, LiesWithinTenThousandthOfTheClosedForm) {
  const std::string path = testing::TempDir() + "options_test.txt";
  generate_options(path, 5000, 3);
  const auto options = parse_options(read_text(path), path);
  std::remove(path.c_str());
  ASSERT_EQ(options.size(), 5000u);
  std::vector<double> prices(options.size());
  price_all(options, prices, 2);
  for (std::size_t i = 0; i < options.size(); ++i) {
    EXPECT_NEAR(prices[i], closed_form(options[i]), 1e-4);
    EXPECT_NEAR(prices[i], options[i].reference, 1e-4);
  }
}

TEST(OptionFile, ReadsParsecsFormat) {
  const auto options = parse_options(
      "2\n42.00 40.00 0.1000 0.00 0.20 0.50 C 0.00 4.759423036851750055\n"
      "100.00 100.00 0.0500 0.00 0.15 1.00 P 0.00 3.714602051381290071\n",
      "text");
  ASSERT_EQ(options.size(), 2u);
  EXPECT_FALSE(options[0].put);
  EXPECT_TRUE(options[1].put);
  for (const auto& option : options) EXPECT_NEAR(price(option), option.reference, 1e-4);
}

TEST(OptionFile, RefusesWhatIsNoOptionFile) {
  EXPECT_THROW(parse_options("", "text"), std::runtime_error);
  EXPECT_THROW(parse_options("1000000000000\n", "text"), std::runtime_error);
  EXPECT_THROW(parse_options("1\n42.00 40.00 0.1 0.0 0.2 0.5 X 0.0 0.0\n", "text"), std::runtime_error);
  EXPECT_THROW(parse_options("2\n42.00 40.00 0.1000 0.00 0.20 0.50 C 0.00 4.7\n", "text"),
               std::runtime_error);
}

}  // namespace
}  // namespace blackscholes
