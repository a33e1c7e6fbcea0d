// asking_test: the tools are asked once for each text, beside the program. If a tool fails, there is no answer.
#include "sass/asking.h"

#include <sys/wait.h>

#include <cstdlib>

#include "tests/fake_tools.h"

namespace lockstep {
namespace {

constexpr std::string_view kPtx = ".version 9.0\n.target sm_75\n.entry k() { ret; }\n";

std::string load_listing() { return listing_of({"7: LDG.E.64 R0, desc[UR6][R2.64]"}); }

// The bytes of the only access that the answer has; 0: no answer.
int bytes_of(Question&& question) {
  const Question::Answer* const answer = question.answer();
  if (!answer) return 0;
  EXPECT_EQ(answer->size(), 1u);
  const MachineKernel& kernel = answer->begin()->second;
  EXPECT_EQ(kernel.static_shared, 16u);
  return kernel.accesses.size() == 1 ? kernel.accesses[0].bytes : -1;
}

TEST(Asking, AnAnswerIsKept) {
  const FakeTools fake(load_listing());
  EXPECT_EQ(bytes_of({fake.tools(), kPtx, ""}), 8);
  EXPECT_EQ(fake.asked().size(), 2u) << "ptxas and nvdisasm";
  EXPECT_EQ(bytes_of({fake.tools(), kPtx, ""}), 8);
  EXPECT_EQ(fake.asked().size(), 2u) << "nobody was asked again";
  EXPECT_EQ(bytes_of({fake.answers_only(), kPtx, ""}), 8) << "nor are the tools needed";
}

TEST(Asking, OnlyTheAnswersStayInTheFolder) {
  const FakeTools fake(load_listing());
  bytes_of({fake.tools(), kPtx, ""});
  std::vector<std::string> endings;
  for (const auto& file : std::filesystem::directory_iterator(fake.answers()))
    endings.push_back(file.path().extension());
  std::ranges::sort(endings);
  EXPECT_EQ(endings, (std::vector<std::string>{".ptx", ".sass"}));
}

TEST(Asking, AnotherTextIsAnotherQuestion) {
  const FakeTools fake(load_listing());
  bytes_of({fake.tools(), kPtx, ""});
  bytes_of({fake.tools(), std::string(kPtx) + "// edited\n", ""});
  EXPECT_EQ(fake.asked().size(), 4u);
}

TEST(Asking, AnAnswerToAnotherTextOfTheSameHashIsNotUsed) {
  const FakeTools fake(load_listing());
  bytes_of({fake.tools(), kPtx, ""});
  for (const auto& file : std::filesystem::directory_iterator(fake.answers()))
    if (file.path().extension() == ".ptx") std::ofstream(file.path()) << "another text";
  EXPECT_EQ(bytes_of({fake.answers_only(), kPtx, ""}), 0);
  EXPECT_EQ(bytes_of({fake.tools(), kPtx, ""}), 8) << "it is asked for";
  EXPECT_EQ(fake.asked().size(), 4u);
}

TEST(Asking, TheCardsArchitectureIsNamed) {
  const FakeTools fake(load_listing());
  bytes_of({fake.tools(), kPtx, ""});
  EXPECT_NE(fake.asked().at(0).find("-arch=sm_90 "), std::string::npos);
  bytes_of({fake.tools(), ".target sm_90a\n", ""});
  EXPECT_NE(fake.asked().at(2).find("-arch=sm_90a "), std::string::npos);
}

TEST(Asking, AKernelOfALargeModuleIsAskedForAlone) {
  const FakeTools fake(load_listing());
  EXPECT_EQ(bytes_of({fake.tools(), kPtx, "k"}), 8);
  EXPECT_NE(fake.asked().at(0).find("-e k "), std::string::npos);
  EXPECT_EQ(bytes_of({fake.answers_only(), kPtx, "other"}), 0) << "another kernel has an answer of its own";
}

TEST(Asking, AToolThatFailsGivesNoAnswer) {
  const FakeTools fake(load_listing());
  for (const char* tool : {"nvdisasm", "ptxas"}) {
    fake.make(tool, "echo half\nexit 1\n");
    EXPECT_EQ(bytes_of({fake.tools(), kPtx, ""}), 0) << tool;
    EXPECT_EQ(bytes_of({fake.answers_only(), kPtx, ""}), 0) << tool;
  }
}

TEST(Asking, WithoutToolsOrFolderThereIsNoAnswer) {
  const FakeTools fake(load_listing());
  EXPECT_EQ(bytes_of({Tools{}, kPtx, ""}), 0);
  EXPECT_EQ(bytes_of({fake.answers_only(), kPtx, ""}), 0);
  Tools missing = fake.tools();
  missing.ptxas += ".missing";
  EXPECT_EQ(bytes_of({missing, kPtx, ""}), 0);
  Tools unwritable = fake.tools();
  unwritable.folder = "/dev/null/answers";
  EXPECT_EQ(bytes_of({unwritable, kPtx, ""}), 0);
}

TEST(Asking, WaitsEvenIfTheProgramWaitedForAllItsChildren) {
  const FakeTools fake(load_listing());
  Question question(fake.tools(), kPtx, "");
  while (wait(nullptr) > 0) {}
  EXPECT_EQ(bytes_of(std::move(question)), 8);
}

// Sets variables for as long as it lives.
class Environment {
 public:
  explicit Environment(std::map<std::string, const char*> values) {
    for (const auto& [name, value] : values) {
      const char* const old = std::getenv(name.c_str());
      before_[name] = old ? std::optional<std::string>(old) : std::nullopt;
      value ? setenv(name.c_str(), value, 1) : unsetenv(name.c_str());
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST(FindTools, TheFolderIsNamedOrTheUsersCache) {
  const auto folder = [](const char* named, const char* cache, const char* home) {
    const Environment environment({{"LOCKSTEP_SASS", named}, {"XDG_CACHE_HOME", cache}, {"HOME", home}});
    return find_tools().folder;
  };
  EXPECT_EQ(folder("/answers", "/cache", "/home/a"), "/answers");
  EXPECT_EQ(folder("none", "/cache", "/home/a"), "");
  EXPECT_EQ(folder(nullptr, "/cache", "/home/a"), "/cache/lockstep");
  EXPECT_EQ(folder(nullptr, nullptr, "/home/a"), "/home/a/.cache/lockstep");
  EXPECT_EQ(folder(nullptr, nullptr, nullptr), "");
}

TEST(FindTools, AToolThatIsNamedEmptyIsNotStarted) {
  const Environment environment({{"LOCKSTEP_PTXAS", ""}, {"LOCKSTEP_NVDISASM", "/there/nvdisasm"}});
  EXPECT_EQ(find_tools().ptxas, "");
  EXPECT_EQ(find_tools().nvdisasm, "/there/nvdisasm");
}

}  // namespace
}  // namespace lockstep
