// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>

#include <string>

namespace weir::migrate {

// std::future, shared_future, promise, packaged_task.
bool is_class_of_family(const clang::NamedDecl* declaration);
// Those, and std::async.
bool is_of_family(const clang::NamedDecl* declaration);

// Does the type say one of them, itself or as an argument?
bool speaks_of_family(clang::QualType type);

// Why what runs in `body` may not move between threads, or is to have a thread of its own to block, in words, and where; "" when
// nothing of it is seen. Follows calls into functions whose bodies are there and are not the system's.
struct Bound {
  std::string why;
  clang::SourceLocation where;
};
Bound bound_to_thread(clang::Stmt* body, const clang::SourceManager& sources);

}  // namespace weir::migrate
