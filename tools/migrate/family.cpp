// SPDX-License-Identifier: Apache-2.0
#include "family.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>

#include <set>

#include "waiting.h"

namespace weir::migrate {
namespace {

using namespace clang;

class Search : public RecursiveASTVisitor<Search> {
 public:
  explicit Search(const SourceManager& sources) : sources_(sources) {}
  Bound found;

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitDeclRefExpr(DeclRefExpr* use) {
    ValueDecl* named = use->getDecl();
    if (auto* variable = dyn_cast<VarDecl>(named); variable && variable->getTLSKind() != VarDecl::TLS_None)
      return stop("uses the thread-local " + variable->getNameAsString(), use->getLocation());
    if (auto* function = dyn_cast<FunctionDecl>(named)) return follow(function, use->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* use) {
    if (auto* function = dyn_cast<FunctionDecl>(use->getMemberDecl())) return follow(function, use->getMemberLoc());
    if (auto* variable = dyn_cast<VarDecl>(use->getMemberDecl()); variable && variable->getTLSKind() != VarDecl::TLS_None)
      return stop("uses the thread-local " + variable->getNameAsString(), use->getMemberLoc());
    return true;
  }
  bool VisitVarDecl(VarDecl* variable) {
    if (variable->getTLSKind() == VarDecl::TLS_None) return true;
    return stop("keeps the thread-local " + variable->getNameAsString(), variable->getLocation());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) { return follow(made->getConstructor(), made->getLocation()); }

 private:
  bool stop(const std::string& why, SourceLocation where) {
    if (found.why.empty()) found = {why, where};
    return false;
  }
  bool follow(FunctionDecl* function, SourceLocation where) {
    static const llvm::StringSet<> of_thread = {"pthread_self", "pthread_getspecific", "pthread_setspecific", "gettid",
                                                "sched_getcpu", "tss_get", "tss_set", "thrd_current"};
    if (!function->getIdentifier() && !isa<CXXMethodDecl>(function)) return true;
    std::string name = function->getQualifiedNameAsString();
    if (name == "std::this_thread::get_id" || of_thread.contains(name))
      return stop("asks for what belongs to its thread, by " + name, where);
    if (std::string wait = wait_of(function); !wait.empty()) return stop(wait, where);
    const FunctionDecl* body = nullptr;
    if (!function->hasBody(body) || sources_.isInSystemHeader(body->getLocation())) return true;
    if (!seen_.insert(body).second) return true;
    return TraverseStmt(body->getBody());
  }
  const SourceManager& sources_;
  std::set<const FunctionDecl*> seen_;
};

}  // namespace

bool is_class_of_family(const NamedDecl* declaration) {
  if (!declaration || !declaration->isInStdNamespace() || !declaration->getIdentifier()) return false;
  llvm::StringRef name = declaration->getName();
  return name == "future" || name == "shared_future" || name == "promise" || name == "packaged_task";
}

bool is_of_family(const NamedDecl* declaration) {
  if (is_class_of_family(declaration)) return true;
  return declaration && declaration->isInStdNamespace() && declaration->getIdentifier() && declaration->getName() == "async";
}

bool speaks_of_family(QualType type) {
  if (type.isNull()) return false;
  const Type* t = type.getCanonicalType().getTypePtr();
  if (auto* pointer = t->getAs<PointerType>()) return speaks_of_family(pointer->getPointeeType());
  if (auto* reference = t->getAs<ReferenceType>()) return speaks_of_family(reference->getPointeeType());
  if (auto* array = t->getAsArrayTypeUnsafe()) return speaks_of_family(array->getElementType());
  if (auto* function = t->getAs<FunctionProtoType>()) {
    for (QualType parameter : function->param_types())
      if (speaks_of_family(parameter)) return true;
    return speaks_of_family(function->getReturnType());
  }
  llvm::ArrayRef<TemplateArgument> arguments;
  if (auto* record = t->getAsCXXRecordDecl()) {
    if (is_class_of_family(record)) return true;
    if (record->isLambda()) return false;
    if (auto* made = dyn_cast<ClassTemplateSpecializationDecl>(record)) arguments = made->getTemplateArgs().asArray();
  } else if (auto* written = t->getAs<TemplateSpecializationType>()) {
    if (is_class_of_family(written->getTemplateName().getAsTemplateDecl())) return true;
    arguments = written->template_arguments();
  }
  for (const TemplateArgument& argument : arguments) {
    if (argument.getKind() == TemplateArgument::Type && speaks_of_family(argument.getAsType())) return true;
    if (argument.getKind() != TemplateArgument::Pack) continue;
    for (const TemplateArgument& one : argument.pack_elements())
      if (one.getKind() == TemplateArgument::Type && speaks_of_family(one.getAsType())) return true;
  }
  return false;
}

Bound bound_to_thread(Stmt* body, const SourceManager& sources) {
  Search search(sources);
  search.TraverseStmt(body);
  return search.found;
}

}  // namespace weir::migrate
