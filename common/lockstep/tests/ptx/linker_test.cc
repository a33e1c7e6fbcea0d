// linker_test: the PTX of several files as one module: which definition a name means, and what is refused.
#include "ptx/linker.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include "device/emulated_device.h"
#include "ptx/parser.h"

namespace lockstep {
namespace {

const std::string kModuleHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

Module linked(const std::vector<std::string>& files) {
  std::vector<Module> modules;
  for (const std::string& file : files) modules.push_back(parse(kModuleHead + file));
  return link_modules(std::move(modules));
}

const Variable* find_variable(const Module& module, const std::string& name) {
  for (const Variable& v : module.variables)
    if (v.name == name) return &v;
  return nullptr;
}

const Function* find_function(const Module& module, const std::string& name) {
  for (const Function& f : module.functions)
    if (f.name == name) return &f;
  return nullptr;
}

TEST(Linker, DeclarationsGiveWayToDefinitions) {
  const Module m = linked({".extern .global .u32 x;\n.extern .func f();\n.func g() { call.uni f, (); ret; }",
                           ".visible .global .u32 x = 7;\n.visible .func f();\n.visible .func f() { ret; }"});
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_FALSE(m.variables[0].is_extern);
  EXPECT_EQ(m.variables[0].init[0], 7);
  ASSERT_EQ(m.functions.size(), 2u);
  EXPECT_FALSE(find_function(m, "f")->is_extern);
}

TEST(Linker, InternalNamesStayApart) {
  const std::string file = ".global .u32 x = 1;\n.global .u64 p = x;\n.func g() { .reg .b64 %r; mov.u64 %r, x; ret; }";
  const Module m = linked({file, file, ".visible .global .u32 x = 3;"});
  ASSERT_EQ(m.variables.size(), 5u);
  EXPECT_EQ(m.functions.size(), 2u);
  EXPECT_EQ(find_variable(m, "x")->init[0], 3);
  std::set<std::string> used;
  for (const Variable& v : m.variables)
    for (const auto& r : v.relocations) used.insert(r.symbol);
  EXPECT_EQ(used.size(), 2u);
  EXPECT_FALSE(used.contains("x"));
  for (const Function& f : m.functions) EXPECT_TRUE(used.contains(f.body[0].operands[1].name)) << f.name;
}

TEST(Linker, WhatAFunctionDeclaresHidesItsFilesNames) {
  const Module m =
      linked({".global .u32 x;", ".global .u32 x;\n.func g() { .reg .b64 %r; .local .b32 x; mov.u64 %r, x; ret; }"});
  EXPECT_EQ(m.functions[0].body[0].operands[1].name, "x");
}

TEST(Linker, OfWeakDuplicatesOneIsKeptAndAStrongOneWins) {
  EXPECT_EQ(linked({".weak .func f() { ret; }", ".weak .func f() { ret; }"}).functions.size(), 1u);
  const Module m = linked({".weak .global .u32 x = 1;", ".visible .global .u32 x = 2;", ".weak .global .u32 x = 3;"});
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_EQ(m.variables[0].init[0], 2);
}

TEST(Linker, TwoStrongDefinitionsAreRefusedByName) {
  try {
    linked({".visible .func _Z5twicei() { ret; }", ".visible .func _Z5twicei() { ret; }"});
    FAIL();
  } catch (const PtxError& error) {
    EXPECT_NE(plain(error.what()).find("twice(int)"), std::string::npos) << error.what();
  }
}

TEST(Linker, DynamicSharedArraysAreOneWithTheStrictestAlignment) {
  const Module m = linked({".extern .shared .align 4 .b8 s[];", ".extern .shared .align 16 .b8 s[];"});
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_EQ(m.variables[0].align, 16u);
}

TEST(Linker, SourceFilesAreNumberedOverAllModules) {
  const std::string body = "{\n.loc 1 5 0\nret;\n}\n";
  const Module m = linked({".func f() " + body + ".file 1 \"a.cu\"", ".func g() " + body + ".file 1 \"b.cu\""});
  EXPECT_EQ(m.files.size(), 2u);
  EXPECT_EQ(m.files.at(find_function(m, "f")->body[0].location.file), "a.cu");
  EXPECT_EQ(m.files.at(find_function(m, "g")->body[0].location.file), "b.cu");
}

TEST(Linker, WhatNobodyDefinesIsRefusedAtTheLaunch) {
  const std::string variable =
      kModuleHead + ".extern .global .u32 x;\n.visible .entry k() { .reg .b64 %r; mov.u64 %r, x; }";
  DeviceOptions options;
  options.memory_bytes = 1 << 20;
  const auto device = EmulatedDevice::create(options);
  ModuleId module = 0;
  ASSERT_TRUE(device->load_module({variable}, &module).ok());
  FunctionInfo kernel;
  ASSERT_TRUE(device->find_function(module, "k", &kernel).ok());
  LaunchRequest request;
  request.function = kernel.id;
  const Outcome outcome = device->launch(request);
  EXPECT_EQ(outcome.status, Status::kUnsupportedInstruction);
  EXPECT_NE(plain(outcome.message).find("variable 'x' is not defined"), std::string::npos) << plain(outcome.message);
}

}  // namespace
}  // namespace lockstep
