// call_place_test: the stack of a call, and its number. Here the runtime is a part of the test program, so all code of
// the test counts as the library's own. runtime_program_test looks at the lines of whole programs.
#include "runtime/call_place.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

void* object_of(uintptr_t address) {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(address), &info) ? info.dli_fbase : nullptr;
}

TEST(CallPlace, TheLibrarysOwnCodeIsLeftOut) {
  const CallStack stack = call_stack();
  ASSERT_FALSE(stack.empty());  // the C library calls main()
  for (const uintptr_t address : stack)
    EXPECT_NE(object_of(address), object_of(reinterpret_cast<uintptr_t>(&call_stack)));
}

TEST(CallPlace, EqualStacksHaveOneNumber) {
  const CallStack one{0x1000, 0x2000}, other{0x1000, 0x2001};
  EXPECT_EQ(call_number({}), 0u);
  EXPECT_NE(call_number(one), 0u);
  EXPECT_EQ(call_number(one), call_number(one));
  EXPECT_NE(call_number(one), call_number(other));
  EXPECT_EQ(call_line(0).line, 0u);
  EXPECT_EQ(call_line(call_number(one)).line, 0u);  // there is no code at these addresses
}

}  // namespace
}  // namespace lockstep::runtime
