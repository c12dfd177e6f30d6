// SPDX-License-Identifier: Apache-2.0
// The names by other ways: using-declarations and -directives, namespace and type aliases.
#include <cstdio>
#include <future>
namespace concurrent = std;
using Number = std::future<int>;
typedef std::promise<int> Source;

static int by_declaration() {
  using std::async;
  using std::future;
  using std::launch;
  future<int> f = async(launch::async, [] { return 1; });
  return f.get();
}
static int by_directive() {
  using namespace std;
  future<int> f = async(launch::async, [] { return 2; });
  shared_future<int> s = f.share();
  return s.get();
}
static int by_alias() {
  concurrent::future<int> f = concurrent::async(concurrent::launch::async, [] { return 3; });
  Number n = ::std::async(::std::launch::async, [] { return 4; });
  Source source;
  Number m = source.get_future();
  source.set_value(5);
  return f.get() + n.get() + m.get();
}
int main() { std::printf("%d %d %d\n", by_declaration(), by_directive(), by_alias()); }
