// SPDX-License-Identifier: Apache-2.0
// weir-migrate: std::async, std::future, std::promise and std::packaged_task of a source tree become weir's.
#include <clang/Frontend/FrontendActions.h>
#include <clang/Tooling/CommonOptionsParser.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "finder.h"
#include "patch.h"

namespace {

using namespace weir::migrate;
namespace tooling = clang::tooling;
namespace cl = llvm::cl;

cl::OptionCategory category("weir-migrate");
cl::opt<bool> in_place("in-place", cl::desc("Rewrite the files; else a unified diff is printed"), cl::cat(category));
cl::list<std::string> root_options("root", cl::desc("A folder whose files may be changed (default: the current one)"),
                                   cl::cat(category));
constexpr const char* usage =
    "\nThe sources are compiled as a compile_commands.json (-p FOLDER) or what follows -- says; list all of the program's,\n"
    "so that what they share is seen whole. What stays std's is said on stderr, with the reason.\n";

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(const std::vector<std::string>& roots, Graph& graph) : roots_(roots), graph_(graph) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (!context.getDiagnostics().hasErrorOccurred()) find(context, roots_, graph_);
  }

 private:
  const std::vector<std::string>& roots_;
  Graph& graph_;
};

struct Factory {
  const std::vector<std::string>& roots;
  Graph& graph;
  std::unique_ptr<clang::ASTConsumer> newASTConsumer() { return std::make_unique<Consumer>(roots, graph); }
};

std::vector<std::string> real_roots() {
  std::vector<std::string> roots;
  std::vector<std::string> wanted(root_options.begin(), root_options.end());
  if (wanted.empty()) wanted.push_back(".");
  for (const std::string& one : wanted) {
    llvm::SmallString<256> path;
    if (!llvm::sys::fs::real_path(one, path)) roots.push_back(path.str().str());
  }
  return roots;
}

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string below(const std::string& file, const std::vector<std::string>& roots) {
  for (const std::string& root : roots)
    if (!file.compare(0, root.size() + 1, root + "/")) return file.substr(root.size() + 1);
  return file;
}

}  // namespace

int main(int argc, const char** argv) {
  auto options = tooling::CommonOptionsParser::create(argc, argv, category, cl::OneOrMore, usage);
  if (!options) {
    std::cerr << llvm::toString(options.takeError());
    return 2;
  }
  std::vector<std::string> roots = real_roots();
  tooling::ClangTool tool(options->getCompilations(), options->getSourcePathList());
  tool.appendArgumentsAdjuster(tooling::getInsertArgumentAdjuster("-resource-dir=" WEIR_CLANG_RESOURCES,
                                                                  tooling::ArgumentInsertPosition::BEGIN));
  tool.appendArgumentsAdjuster(tooling::getInsertArgumentAdjuster("-w"));
  Graph graph;
  Factory factory{roots, graph};
  if (tool.run(tooling::newFrontendActionFactory(&factory).get())) {
    std::cerr << "weir-migrate: not all sources compile as they are; nothing is changed\n";
    return 2;
  }
  for (const Graph::Skipped& one : graph.skipped()) {
    std::string line = one.place.text() + ": " + one.what + " stays: " + one.reason;
    for (const std::string& root : roots)
      for (std::size_t at; (at = line.find(root + "/")) != std::string::npos;) line.erase(at, root.size() + 1);
    std::cerr << line << "\n";
  }
  int failed = 0;
  for (const auto& [file, edits] : graph.edits()) {
    std::string before = read(file), after = edited(before, edits);
    if (!in_place) std::cout << difference(below(file, roots), before, after);
    else if (!(std::ofstream(file, std::ios::binary) << after)) std::cerr << "weir-migrate: can't write " << file << "\n", failed = 1;
  }
  return failed;
}
