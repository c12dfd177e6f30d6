// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kit {

// --name=value, --name value is not a form, --name alone is a flag; the rest are positional. Ends the program
// with a sentence when something is not of its form; finish() does so for names nobody asked for.
class Arguments {
 public:
  Arguments(int argc, char** argv, const char* usage) : program_(argv[0]), usage_(usage) {
    for (int i = 1; i < argc; ++i) {
      std::string word = argv[i];
      if (word.rfind("--", 0)) {
        positional_.push_back(word);
        continue;
      }
      std::size_t equals = word.find('=');
      given_[word.substr(2, equals == std::string::npos ? equals : equals - 2)] =
          equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    if (given_.count("help")) {
      std::printf("usage: %s %s\n", program_.c_str(), usage_);
      std::exit(0);
    }
  }
  bool flag(const std::string& name) { return known(name), given_.count(name) > 0; }
  std::string text(const std::string& name, const std::string& otherwise) {
    known(name);
    auto found = given_.find(name);
    return found == given_.end() ? otherwise : found->second;
  }
  long number(const std::string& name, long otherwise) {
    std::string value = text(name, "");
    if (value.empty()) return otherwise;
    char* end;
    long result = std::strtol(value.c_str(), &end, 10);
    if (*end == 'k' || *end == 'K')
      result <<= 10, ++end;
    else if (*end == 'm' || *end == 'M')
      result <<= 20, ++end;
    else if (*end == 'g' || *end == 'G')
      result <<= 30, ++end;
    if (*end || result < 0) fail("--" + name + "=" + value + ": not a number");
    return result;
  }
  double real(const std::string& name, double otherwise) {
    std::string value = text(name, "");
    if (value.empty()) return otherwise;
    char* end;
    double result = std::strtod(value.c_str(), &end);
    if (*end) fail("--" + name + "=" + value + ": not a number");
    return result;
  }
  const std::vector<std::string>& positional() const { return positional_; }
  void finish() {
    for (auto& [name, value] : given_)
      if (!known_.count(name)) fail("--" + name + ": no such option");
  }
  [[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "%s: %s\nusage: %s %s\n", program_.c_str(), why.c_str(), program_.c_str(), usage_);
    std::exit(2);
  }

 private:
  void known(const std::string& name) { known_.insert(name); }
  std::string program_;
  const char* usage_;
  std::map<std::string, std::string> given_;
  std::set<std::string> known_;
  std::vector<std::string> positional_;
};

}  // namespace kit
