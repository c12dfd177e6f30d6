// SPDX-License-Identifier: Apache-2.0
#include "cli/report/record.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "cli/report/bytes.h"

namespace weir::cli {
namespace {

constexpr std::size_t most_entries = 8192;    // of one list or object; a timeline has hundreds
constexpr std::size_t most_values = 400'000;  // of a file without its call sites
constexpr std::size_t most_site_values = 1000;
constexpr std::size_t most_depth = 12;
constexpr std::size_t longest_text = 4096;

// What orders call sites: those that cost most, first.
std::pair<double, double> cost(const Json& site) { return {number(site, "waited_s"), number(site, "count")}; }
bool costs_more(const Json& a, const Json& b) { return cost(a) > cost(b); }

// Builds the document as it comes by, and keeps what fits. Call sites go into a heap of the costliest.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(Record& record) : record_(record) {}

  bool null() override { return add(nullptr), true; }
  bool boolean(bool value) override { return add(value), true; }
  bool number_integer(number_integer_t value) override { return add(value), true; }
  bool number_unsigned(number_unsigned_t value) override { return add(value), true; }
  bool number_float(number_float_t value, const string_t&) override { return add(value), true; }
  bool string(string_t& value) override { return add(shortened(value)), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_ = shortened(value);
    if (open_.size() == 1 && !skipped_) section_ = key_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  Json root;
  std::set<std::string> cut;  // sections of which something was left out

 private:
  static std::string shortened(const std::string& value) {
    if (value.size() <= longest_text) return value;
    std::size_t end = longest_text;
    while (end && (value[end] & 0xc0) == 0x80) --end;  // not within a character
    return value.substr(0, end) + "...";
  }

  Json* add(Json value) {
    if (skipped_) return nullptr;
    if (open_.empty()) return root = std::move(value), &root;
    Json& into = *open_.back();
    bool in_site = section_ == "call_sites" && open_.size() >= 2;
    std::size_t& values = in_site ? site_values_ : values_;
    if (into.size() >= most_entries || open_.size() >= most_depth ||
        values >= (in_site ? most_site_values : most_values)) {
      cut.insert(section_);
      return nullptr;
    }
    ++values;
    if (into.is_array()) return into.push_back(std::move(value)), &into.back();
    return &(into[key_] = std::move(value));
  }

  bool open(Json value) {
    Json* at = add(std::move(value));
    if (at) open_.push_back(at);
    else ++skipped_;
    return true;
  }

  bool close() {
    if (skipped_) return --skipped_, true;
    open_.pop_back();
    if (open_.size() == 2 && section_ == "call_sites" && open_.back()->is_array()) take_call_site(*open_.back());
    return true;
  }

  void take_call_site(Json& sites) {
    Json site = std::move(sites.back());
    sites.get_ref<Json::array_t&>().pop_back();
    site_values_ = 0;
    auto& kept = record_.call_sites;
    if (!site.is_object()) return;
    kept.push_back(std::move(site));
    std::push_heap(kept.begin(), kept.end(), costs_more);
    if (kept.size() <= Record::most_call_sites) return;
    std::pop_heap(kept.begin(), kept.end(), costs_more);  // the cheapest to the back
    ++record_.other_sites;
    record_.other_calls += number(kept.back(), "count");
    record_.other_bytes += number(kept.back(), "bytes");
    record_.other_waited_s += number(kept.back(), "waited_s");
    kept.pop_back();
  }

  Record& record_;
  std::vector<Json*> open_;  // from the root to where we are
  std::size_t skipped_ = 0;  // containers open that are not kept
  std::size_t values_ = 0, site_values_ = 0;
  std::string key_, section_;
};

std::string trouble_of(const Bytes& bytes) {
  if (bytes.error()) return std::string("can't be read: ") + std::strerror(bytes.error());
  if (bytes.word_too_long()) return "is no report of weir: a single word in it is longer than 1 MiB";
  if (!bytes.position()) return "is empty";
  if (bytes.ended()) return "is not whole JSON: it is cut short or damaged near byte " + std::to_string(bytes.position());
  return "is not JSON: see byte " + std::to_string(bytes.position());
}

// Of the fields that every version wrote, are there any?
bool is_report(const Json& body) {
  return body.is_object() && body.contains("pid") && body.contains("wall_s") && body.contains("calls");
}

}  // namespace

double number(const Json& object, const char* key, double otherwise) {
  if (!object.is_object()) return otherwise;
  auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return otherwise;
  double value = at->get<double>();
  return std::isfinite(value) ? value : otherwise;
}

std::string text(const Json& object, const char* key, const std::string& otherwise) {
  if (!object.is_object()) return otherwise;
  auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : otherwise;
}

const Json& list(const Json& object, const char* key) {
  static const Json none = Json::array();
  if (!object.is_object()) return none;
  auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : none;
}

std::string read_record(const std::string& file, Record& record) {
  Bytes bytes;
  std::string trouble = bytes.open(file);
  if (!trouble.empty()) return file + ": " + trouble;
  record.file = file;
  Builder builder(record);
  if (!Json::sax_parse(Bytes::Iterator(bytes), Bytes::Iterator(), &builder)) return file + " " + trouble_of(bytes);
  if (!is_report(builder.root)) return file + " is JSON, but no report of weir: it lacks pid, wall_s or calls";
  record.body = std::move(builder.root);
  record.body.erase("call_sites");
  std::sort_heap(record.call_sites.begin(), record.call_sites.end(), costs_more);
  for (const std::string& section : builder.cut)
    record.remarks.push_back("'" + section + "' was too large to keep whole: its beginning is shown");
  return "";
}

}  // namespace weir::cli
