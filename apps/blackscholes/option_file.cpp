// SPDX-License-Identifier: Apache-2.0
#include "option_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <system_error>

namespace blackscholes {

namespace {

// Takes blank-separated words off the front of a text.
class Words {
 public:
  Words(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::string_view next() {
    constexpr std::string_view blanks = " \t\r\n";
    const auto begin = text_.find_first_not_of(blanks);
    if (begin == std::string_view::npos) throw std::runtime_error(name_ + ": ends too early");
    text_.remove_prefix(begin);
    const auto word = text_.substr(0, text_.find_first_of(blanks));
    text_.remove_prefix(word.size());
    return word;
  }

  template <class T>
  T number() {
    const auto word = next();
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      throw std::runtime_error(name_ + ": '" + std::string(word) + "' is no number");
    return value;
  }

 private:
  std::string_view text_;
  const std::string& name_;
};

[[noreturn]] void fail(const std::string& path) {
  throw std::system_error(errno, std::generic_category(), path);
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

std::vector<Option> parse_options(std::string_view text, const std::string& name) {
  Words words(text, name);
  const auto count = words.number<std::size_t>();
  // The shortest line has nine words of one letter: a count that the text can't hold must not reserve memory.
  if (count > text.size() / 18 + 1) throw std::runtime_error(name + ": more options announced than it holds");
  std::vector<Option> options(count);
  for (auto& option : options) {
    option.spot = words.number<double>();
    option.strike = words.number<double>();
    option.rate = words.number<double>();
    option.dividend = words.number<double>();
    option.volatility = words.number<double>();
    option.years = words.number<double>();
    const auto kind = words.next();
    if (kind != "C" && kind != "P")
      throw std::runtime_error(name + ": option type '" + std::string(kind) + "' is neither C nor P");
    option.put = kind == "P";
    words.number<double>();  // dividend payments: PARSEC's files have them, its formula does not use them
    option.reference = words.number<double>();
  }
  return options;
}

std::string read_text(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path);
  struct stat status{};
  std::string text;
  if (::fstat(fd, &status) == 0) text.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  ssize_t got = 0;
  while (filled < text.size() && (got = ::read(fd, text.data() + filled, text.size() - filled)) > 0)
    filled += static_cast<std::size_t>(got);
  const int error = got < 0 ? errno : 0;
  ::close(fd);
  if (error != 0) throw std::system_error(error, std::generic_category(), path);
  text.resize(filled);
  return text;
}

void write_prices(const std::string& path, std::span<const double> prices) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file) fail(path);
  std::fprintf(file.get(), "%zu\n", prices.size());
  for (const double price : prices) std::fprintf(file.get(), "%.18f\n", price);
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) fail(path);
}

double closed_form(const Option& option) {
  const double deviation = option.volatility * std::sqrt(option.years);
  const double forward = option.spot * std::exp((option.rate - option.dividend) * option.years);
  const double d1 = std::log(forward / option.strike) / deviation + deviation / 2;
  const double d2 = d1 - deviation;
  const double discount = std::exp(-option.rate * option.years);
  const double sign = option.put ? -1.0 : 1.0;
  return sign * discount *
         (forward * normal_distribution(sign * d1) - option.strike * normal_distribution(sign * d2));
}

void generate_options(const std::string& path, std::size_t count, std::uint64_t seed) {
  std::ofstream file(path);
  if (!file) fail(path);
  std::mt19937_64 random(seed);
  const auto between = [&random](int low, int high, double unit) {
    return unit *
           static_cast<double>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  };
  file << count << '\n';
  char line[256];
  for (std::size_t i = 0; i < count; ++i) {
    Option option;
    option.spot = between(1000, 20000, 0.01);
    option.strike = option.spot * between(60, 140, 0.01);
    option.strike = std::round(option.strike * 100) / 100;
    option.rate = between(100, 1000, 0.0001);
    option.volatility = between(5, 65, 0.01);
    option.years = between(5, 200, 0.01);
    option.put = random() % 2 == 1;
    option.reference = closed_form(option);
    std::snprintf(line, sizeof line, "%.2f %.2f %.4f %.2f %.2f %.2f %c %.2f %.18f\n", option.spot,
                  option.strike, option.rate, option.dividend, option.volatility, option.years,
                  option.put ? 'P' : 'C', 0.0, option.reference);
    file << line;
  }
  file.flush();
  if (!file) fail(path);
}

}  // namespace blackscholes
