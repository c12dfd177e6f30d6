// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

namespace weir::migrate {

Graph::Node Graph::fresh() {
  parent_.push_back(static_cast<Node>(parent_.size()));
  return parent_.back();
}

Graph::Node Graph::at(const Place& place) {
  auto [found, is_new] = places_.try_emplace(place, 0);
  if (is_new) found->second = fresh();
  return found->second;
}

Graph::Node Graph::root(Node node) {
  while (parent_[static_cast<std::size_t>(node)] != node) {
    Node& up = parent_[static_cast<std::size_t>(node)];
    up = parent_[static_cast<std::size_t>(up)];
    node = up;
  }
  return node;
}

void Graph::join(Node a, Node b) { parent_[static_cast<std::size_t>(root(a))] = root(b); }

void Graph::edit(Node node, const Place& place, Edit edit) {
  auto [found, is_new] = sites_.try_emplace(place, Site{node, edit});
  if (!is_new) join(node, found->second.node);
}

void Graph::keep(Node node, const Place& cause, const std::string& reason) {
  kept_.try_emplace({node, cause}, Reason{cause, reason});
}

std::map<Graph::Node, Graph::Reason> Graph::reasons() {
  std::map<Node, Reason> by_root;
  for (auto& [where, reason] : kept_) {
    auto [found, is_new] = by_root.try_emplace(root(where.first), reason);
    if (!is_new && reason.cause < found->second.cause) found->second = reason;
  }
  return by_root;
}

std::map<std::string, std::map<unsigned, Edit>> Graph::edits() {
  std::map<std::string, std::map<unsigned, Edit>> out;
  auto against = reasons();
  for (auto& [place, site] : sites_)
    if (!against.count(root(site.node))) out[place.file].try_emplace(place.offset, site.edit);
  return out;
}

std::vector<Graph::Skipped> Graph::skipped() {
  std::vector<Skipped> out;
  auto against = reasons();
  for (auto& [place, site] : sites_) {
    auto found = against.find(root(site.node));
    if (found == against.end()) continue;
    const Reason& reason = found->second;
    bool here = reason.cause.file == place.file && reason.cause.line == place.line;
    out.push_back({place, site.edit.what,
                   here ? reason.text : "goes with " + reason.cause.text() + ", where " + reason.text});
  }
  return out;
}

}  // namespace weir::migrate
