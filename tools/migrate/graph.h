// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace weir::migrate {

// A place in a file; the same for every translation unit that includes it.
struct Place {
  std::string file;
  unsigned offset = 0, line = 0;
  bool operator<(const Place& other) const {
    return file != other.file ? file < other.file : offset < other.offset;
  }
  std::string text() const { return file + ":" + std::to_string(line); }
};

// `bytes` of text at a place become `text`.
struct Edit {
  unsigned bytes = 0;
  std::string text;
  std::string what;  // for the report: std::future, std::async
};

// What must be changed together: declarations, statements and edits are nodes, and what a future flows through is joined.
// A group with a reason against it stays as it is, as a whole.
class Graph {
 public:
  using Node = int;

  Node fresh();
  Node at(const Place& place);  // one node a place
  void join(Node a, Node b);
  void edit(Node node, const Place& place, Edit edit);
  void keep(Node node, const Place& cause, const std::string& reason);

  struct Skipped {
    Place place;
    std::string what, reason;
  };
  std::map<std::string, std::map<unsigned, Edit>> edits();  // by file and offset: those of groups without a reason
  std::vector<Skipped> skipped();

 private:
  struct Reason {
    Place cause;
    std::string text;
  };
  struct Site {
    Node node;
    Edit edit;
  };
  Node root(Node node);
  std::map<Node, Reason> reasons();  // by root
  std::vector<Node> parent_;
  std::map<Place, Node> places_;
  std::map<Place, Site> sites_;
  std::map<std::pair<Node, Place>, Reason> kept_;
};

}  // namespace weir::migrate
