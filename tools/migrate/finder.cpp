// SPDX-License-Identifier: Apache-2.0
#include "finder.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/Path.h>

#include "family.h"

namespace weir::migrate {
namespace {

using namespace clang;

// Walks the whole unit, templates and what is made of them. Each statement, and each declaration that speaks of the
// family, is a node; what is named within it is joined with it. So a group is all that a future can flow through.
class Finder : public RecursiveASTVisitor<Finder> {
 public:
  Finder(ASTContext& context, const std::vector<std::string>& roots, Graph& graph)
      : sources_(context.getSourceManager()), context_(context), roots_(roots), graph_(graph), unit_(graph.fresh()) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl* declaration) {
    if (!declaration) return true;
    if (!isa<TranslationUnitDecl, NamespaceDecl, LinkageSpecDecl>(declaration) && !ours(declaration->getLocation()))
      return true;
    Kept<Graph::Node> unit(unit_);
    Kept<bool> inside(in_expression_);
    Kept<FunctionDecl*> function(function_);
    auto* named = dyn_cast<NamedDecl>(declaration);
    unit_ = named ? node(named) : graph_.fresh();
    in_expression_ = isa<VarDecl, FieldDecl>(declaration);
    if (auto* f = dyn_cast<FunctionDecl>(declaration)) function_ = f;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  // A statement, or an expression that is one, is a unit of its own.
  bool TraverseStmt(Stmt* statement, DataRecursionQueue* = nullptr) {
    if (!statement) return true;
    bool expression = isa<Expr>(statement);
    Kept<Graph::Node> unit(unit_);
    Kept<bool> inside(in_expression_);
    if (!expression || !in_expression_ || ends_flow(cast<Expr>(statement))) unit_ = graph_.fresh();
    if (expression && !in_expression_) dropped(cast<Expr>(statement));
    in_expression_ = expression;
    return RecursiveASTVisitor::TraverseStmt(statement);
  }

  bool VisitDeclaratorDecl(DeclaratorDecl* declaration) {
    if (auto* parameter = dyn_cast<ParmVarDecl>(declaration); parameter && speaks_of_family(parameter->getType()))
      if (auto* function = dyn_cast_or_null<NamedDecl>(Decl::castFromDeclContext(parameter->getDeclContext())))
        graph_.join(node(parameter), node(function));
    auto* variable = dyn_cast<VarDecl>(declaration);
    if (!variable || !variable->isLocalVarDecl() || variable->isReferenced()) return true;
    if (auto* call = variable->getInit() ? async_call(variable->getInit()) : nullptr)
      keep("the future is never asked: its destructor waits", call->getBeginLoc());
    return true;
  }
  bool VisitCXXMethodDecl(CXXMethodDecl* method) {
    if (speaks_of_family(method->getType()))
      for (const CXXMethodDecl* base : method->overridden_methods()) graph_.join(node(method), node(base));
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* statement) {
    if (function_ && statement->getRetValue() && speaks_of_family(statement->getRetValue()->getType()))
      graph_.join(unit_, node(function_));
    return true;
  }
  bool TraverseReturnStmt(ReturnStmt* statement, DataRecursionQueue* = nullptr) {
    WalkUpFromReturnStmt(statement);
    Kept<bool> inside(in_expression_);
    in_expression_ = statement->getRetValue() != nullptr;  // of the same unit as the statement
    return TraverseStmt(statement->getRetValue());
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda, DataRecursionQueue* = nullptr) {
    for (const LambdaCapture& capture : lambda->captures())
      if (capture.capturesVariable() && speaks_of_family(capture.getCapturedVar()->getType()))
        graph_.join(unit_, node(capture.getCapturedVar()));
    CXXMethodDecl* call = lambda->getCallOperator();
    if (speaks_of_family(call->getType())) graph_.join(unit_, node(call));
    Kept<FunctionDecl*> function(function_);
    function_ = call;
    return RecursiveASTVisitor::TraverseLambdaExpr(lambda);
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt* loop, DataRecursionQueue* = nullptr) {
    if (VarDecl* variable = loop->getLoopVariable(); variable && loop->getRangeInit()) {
      Kept<Graph::Node> unit(unit_);
      Kept<bool> inside(in_expression_);
      unit_ = speaks_of_family(variable->getType()) || variable->getType()->isDependentType() ? node(variable) : unit_;
      in_expression_ = true;
      if (!TraverseStmt(loop->getRangeInit())) return false;
      if (!TraverseDecl(variable)) return false;
    }
    return TraverseStmt(loop->getInit()) && TraverseStmt(loop->getBody());
  }

  // ---- what is named -----------------------------------------------------------------------------------------------
  bool VisitDeclRefExpr(DeclRefExpr* use) {
    ValueDecl* named = use->getDecl();
    if (isa<FunctionDecl>(named) && is_of_family(named)) {
      function_named(use->getQualifierLoc(), use->getLocation(), use->getFoundDecl());
      return true;
    }
    join_with(named, use->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* use) {
    ValueDecl* member = use->getMemberDecl();
    if (auto* method = dyn_cast<CXXMethodDecl>(member); method && is_class_of_family(method->getParent())) {
      llvm::StringRef name = method->getIdentifier() ? method->getName() : "";
      if (name.ends_with("_at_thread_exit"))
        keep("weir has no " + name.str(), use->getMemberLoc());
      return true;
    }
    join_with(member, use->getMemberLoc());
    return true;
  }
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr* use) {
    std::string name = use->getMember().getAsString();
    if (llvm::StringRef(name).ends_with("_at_thread_exit")) keep("weir has no " + name, use->getMemberLoc());
    return true;
  }
  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr* use) {
    for (NamedDecl* one : use->decls()) {
      if (!isa<FunctionDecl, FunctionTemplateDecl>(one->getUnderlyingDecl())) continue;
      if (is_of_family(one->getUnderlyingDecl())) {
        function_named(use->getQualifierLoc(), use->getNameLoc(), one);
        return true;
      }
      graph_.join(unit_, node(one->getUnderlyingDecl()));
    }
    return true;
  }
  bool VisitElaboratedTypeLoc(ElaboratedTypeLoc type) {
    TypeLoc inner = type.getNamedTypeLoc();
    if (auto made = inner.getAs<TemplateSpecializationTypeLoc>()) {
      TemplateName name = made.getTypePtr()->getTemplateName();
      template_named(name, type.getQualifierLoc(), made.getTemplateNameLoc());
    } else if (auto deduced = inner.getAs<DeducedTemplateSpecializationTypeLoc>()) {
      TemplateName name = deduced.getTypePtr()->getTemplateName();
      if (template_named(name, type.getQualifierLoc(), deduced.getTemplateNameLoc()))
        keep("the arguments of the template are left to deduction", deduced.getTemplateNameLoc());
    } else if (auto alias = inner.getAs<TypedefTypeLoc>()) {
      join_alias(alias.getTypedefNameDecl());
    } else if (auto used = inner.getAs<UsingTypeLoc>()) {
      if (auto* typedef_name = dyn_cast<TypedefNameDecl>(used.getFoundDecl()->getTargetDecl())) join_alias(typedef_name);
    }
    return true;
  }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc& argument) {
    if (argument.getArgument().getKind() == TemplateArgument::Template)
      template_named(argument.getArgument().getAsTemplate(), argument.getTemplateQualifierLoc(),
                     argument.getTemplateNameLoc());
    return RecursiveASTVisitor::TraverseTemplateArgumentLoc(argument);
  }
  bool VisitUsingDecl(UsingDecl* declaration) {
    for (UsingShadowDecl* shadow : declaration->shadows()) {
      NamedDecl* target = shadow->getTargetDecl();
      if (!is_of_family(target)) continue;
      reference(declaration->getQualifierLoc(), declaration->getLocation(), nullptr, "std::" + target->getNameAsString());
      return true;
    }
    return true;
  }

  // ---- tasks -------------------------------------------------------------------------------------------------------
  bool VisitCallExpr(CallExpr* call) {
    if (is_async(call)) {
      for (Expr* argument : call->arguments()) look_at_task(argument);
    } else if (FunctionDecl* callee = call->getDirectCallee()) {
      bool foreign = !ours(callee->getLocation()) && !callee->isInStdNamespace() && !callee->getPrimaryTemplate();
      auto* method = dyn_cast<CXXMethodDecl>(callee);
      bool of_std = method && method->getParent()->isInStdNamespace();
      if (foreign && !of_std && speaks_of_family(callee->getType()))
        keep("a future goes to " + callee->getNameAsString() + "(), which is declared elsewhere", call->getBeginLoc());
    }
    return true;
  }
  bool VisitInitListExpr(InitListExpr* list) {
    if (auto* record = list->getType()->getAsCXXRecordDecl(); record && ours(record->getLocation()))
      for (FieldDecl* field : record->fields()) join_with(field, list->getBeginLoc());
    return true;
  }
  bool TraverseConstructorInitializer(CXXCtorInitializer* initializer) {
    Kept<Graph::Node> unit(unit_);
    Kept<bool> inside(in_expression_);
    unit_ = graph_.fresh();
    in_expression_ = true;
    if (FieldDecl* field = initializer->getAnyMember()) join_with(field, initializer->getSourceLocation());
    return RecursiveASTVisitor::TraverseConstructorInitializer(initializer);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) {
    join_with(made->getConstructor(), made->getLocation());
    CXXRecordDecl* what = made->getConstructor()->getParent();
    if (!is_class_of_family(what) || what->getName() != "packaged_task") return true;
    for (Expr* argument : made->arguments()) look_at_task(argument);
    return true;
  }

 private:
  template <typename T>
  class Kept {
   public:
    explicit Kept(T& value) : value_(value), was_(value) {}
    ~Kept() { value_ = was_; }

   private:
    T& value_;
    T was_;
  };

  // A call that takes futures and gives something else: f.get() + g.get() does not bind f to g.
  static bool ends_flow(const Expr* expression) {
    auto* call = dyn_cast<CallExpr>(expression);
    return call && !call->getType()->isDependentType() && !speaks_of_family(call->getType());
  }

  Place place(SourceLocation location) const {
    location = sources_.getSpellingLoc(location);
    FileID file = sources_.getFileID(location);
    auto entry = sources_.getFileEntryRefForID(file);
    if (!entry) return {};
    llvm::SmallString<256> path(entry->getFileEntry().tryGetRealPathName());
    if (path.empty()) path = entry->getName();
    return {path.str().str(), sources_.getFileOffset(location), sources_.getSpellingLineNumber(location)};
  }
  bool ours(SourceLocation location) const {
    if (location.isInvalid()) return false;
    std::string file = place(sources_.getExpansionLoc(location)).file;
    for (const std::string& root : roots_)
      if (file.size() > root.size() && !file.compare(0, root.size(), root) && file[root.size()] == '/') return true;
    return false;
  }

  Graph::Node node(const NamedDecl* declaration) {
    if (auto* function_template = dyn_cast<FunctionTemplateDecl>(declaration))
      declaration = function_template->getTemplatedDecl();
    if (auto* function = dyn_cast<FunctionDecl>(declaration))
      if (const FunctionDecl* pattern = function->getTemplateInstantiationPattern()) declaration = pattern;
    declaration = cast<NamedDecl>(declaration->getCanonicalDecl());
    // The same macro's declarations stand at different places of its uses.
    return graph_.at(place(sources_.getExpansionLoc(declaration->getLocation())).file.empty() ? Place{"", next_++, 0}
                                                                                           : named_at(declaration));
  }
  Place named_at(const NamedDecl* declaration) const {
    SourceLocation location = declaration->getLocation();
    Place at = place(sources_.getExpansionLoc(location));
    if (location.isMacroID()) at.file += "(" + declaration->getNameAsString() + ")";
    return at;
  }
  static const NamedDecl* introducer(NamedDecl* found) {
    auto* shadow = dyn_cast_or_null<UsingShadowDecl>(found);
    return shadow ? shadow->getIntroducer() : nullptr;
  }

  void keep(const std::string& reason, SourceLocation where) { graph_.keep(unit_, place(sources_.getExpansionLoc(where)), reason); }

  void join_with(const ValueDecl* named, SourceLocation where) {
    if (auto* binding = dyn_cast<BindingDecl>(named)) named = cast<ValueDecl>(binding->getDecomposedDecl());
    if (!speaks_of_family(named->getType()) || named->isInStdNamespace()) return;
    if (ours(named->getLocation())) graph_.join(unit_, node(named));
    else if (!isa<FunctionDecl>(named))
      keep("a future is kept in " + named->getNameAsString() + ", which is declared elsewhere", where);
  }
  void join_alias(const TypedefNameDecl* alias) {
    if (ours(alias->getLocation()) && speaks_of_family(alias->getUnderlyingType())) graph_.join(unit_, node(alias));
  }

  // Without a qualifier it gets one, whatever brought the name: std::launch among the arguments brings std::async anew.
  void function_named(NestedNameSpecifierLoc qualifier, SourceLocation where, NamedDecl* found) {
    if (const NamedDecl* used = introducer(found)) graph_.join(unit_, node(used));
    reference(qualifier, where, nullptr, "std::async");
  }

  // True: the template is one of the family's.
  bool template_named(TemplateName name, NestedNameSpecifierLoc qualifier, SourceLocation where) {
    TemplateDecl* declaration = name.getAsTemplateDecl();
    if (auto* alias = dyn_cast_or_null<TypeAliasTemplateDecl>(declaration); alias && ours(alias->getLocation()))
      graph_.join(unit_, node(alias->getTemplatedDecl()));
    if (!is_class_of_family(declaration)) return false;
    if (name.getAsSubstTemplateTemplateParm()) return false;  // the text has the parameter's name
    UsingShadowDecl* shadow = name.getAsUsingShadowDecl();
    reference(qualifier, where, shadow ? shadow->getIntroducer() : nullptr, "std::" + declaration->getNameAsString());
    return true;
  }

  // A name of the family in the text: `std::` before it becomes `weir::`. Without, a using-declaration brought it, which
  // is changed itself; or a using-directive, and then `weir::` is put in front.
  void reference(NestedNameSpecifierLoc qualifier, SourceLocation name, const NamedDecl* used, const std::string& what) {
    if (!qualifier && used) {
      graph_.join(unit_, node(used));
      return;
    }
    Place at = place(name);
    SourceLocation begin = qualifier ? qualifier.getBeginLoc() : name;
    Place from = place(begin);
    if (!inside(at.file)) {
      graph_.keep(unit_, at, "the name stands outside of the tree");
      return;
    }
    llvm::StringRef text = sources_.getBufferData(sources_.getFileID(sources_.getSpellingLoc(name)));
    bool plain = from.file == at.file && from.offset <= at.offset;
    llvm::StringRef before = plain ? text.substr(from.offset, at.offset - from.offset) : "";
    if (!plain || (qualifier && (!before.rtrim().ends_with("::") || before.contains('\n') || before.contains('#')))) {
      Graph::Node here = unit_;
      graph_.edit(here, at, {0, "", what});  // for the report: it is kept
      graph_.keep(here, at, "a macro puts the name together");
      return;
    }
    // A qualifier that a macro's parameter brings would change all else that is made of it.
    graph_.edit(unit_, from, {at.offset - from.offset, "weir::", what});
  }
  bool inside(const std::string& file) const {
    for (const std::string& root : roots_)
      if (!file.compare(0, root.size(), root) && file.size() > root.size() && file[root.size()] == '/') return true;
    return false;
  }

  static bool is_async(const CallExpr* call) {
    if (const FunctionDecl* callee = call->getDirectCallee()) return is_of_family(callee) && callee->getName() == "async";
    auto* lookup = dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (!lookup) return false;
    for (NamedDecl* one : lookup->decls())
      if (!is_class_of_family(one->getUnderlyingDecl()) && is_of_family(one->getUnderlyingDecl())) return true;
    return false;
  }
  static const CallExpr* async_call(Expr* expression) {
    Expr* inner = expression->IgnoreUnlessSpelledInSource();
    if (auto* cast = dyn_cast<CStyleCastExpr>(inner)) inner = cast->getSubExpr()->IgnoreUnlessSpelledInSource();
    auto* call = dyn_cast<CallExpr>(inner);
    return call && is_async(call) ? call : nullptr;
  }
  void dropped(Expr* statement) {
    if (const CallExpr* call = async_call(statement)) {
      // As the value of a return or a condition it would not be a statement of its own.
      keep("the future is dropped at once, and that waits", call->getBeginLoc());
    }
  }

  void look_at_task(Expr* argument) {
    Expr* inner = argument->IgnoreUnlessSpelledInSource();
    const TagDecl* tag = inner->getType().getNonReferenceType()->getAsTagDecl();
    if (tag && tag->isInStdNamespace() && tag->getName() == "launch") {
      look_at_policy(inner);
      return;
    }
    Bound bound = bound_to_thread(inner, sources_);
    if (bound.why.empty())
      if (auto* record = inner->getType().getNonReferenceType()->getAsCXXRecordDecl(); record && record->hasDefinition())
        for (CXXMethodDecl* method : record->methods())
          if (method->getOverloadedOperator() == OO_Call && method->hasBody() && bound.why.empty() && ours(method->getLocation()))
            bound = bound_to_thread(method->getBody(), sources_);
    if (!bound.why.empty()) keep("the task " + bound.why, bound.where);
  }
  void look_at_policy(Expr* policy) {
    Expr::EvalResult value;
    constexpr int deferred = 2;
    if (policy->isValueDependent() || !policy->EvaluateAsInt(value, context_))
      keep("its launch policy is not known here", policy->getBeginLoc());
    else if (value.Val.getInt().getExtValue() & deferred)
      keep("it asks for launch::deferred", policy->getBeginLoc());
  }

  SourceManager& sources_;
  ASTContext& context_;
  const std::vector<std::string>& roots_;
  Graph& graph_;
  Graph::Node unit_;
  bool in_expression_ = false;
  FunctionDecl* function_ = nullptr;
  unsigned next_ = 0;
};

}  // namespace

void find(ASTContext& context, const std::vector<std::string>& roots, Graph& graph) {
  Finder(context, roots, graph).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace weir::migrate
