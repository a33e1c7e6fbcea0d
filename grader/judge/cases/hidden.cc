#include "grader/judge/cases/hidden.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "grader/judge/base/json.h"
#include "grader/judge/base/random.h"
#include "grader/judge/base/reader.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShortestSecret = 16, kLargestSecret = size_t{1} << 20;  // bytes
constexpr size_t kLarge = 200'000;  // elements; more blocks than a card holds at once, and quick enough on lockstep
constexpr int kSmallCases = 8, kLargeCases = 2;  // for each entry
constexpr size_t kBlocks[] = {32, 64, 128, 256, 512, 1024};

// A keyed hash: from one seed, or from the cases of one lab, nobody can compute the other cases or the file.
uint64_t derive(const std::string& secret, const std::string& purpose) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  const auto* text = reinterpret_cast<const unsigned char*>(purpose.data());
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), text, purpose.size(), digest, nullptr) ==
      nullptr)
    throw JudgeFault(message("libcrypto computes no HMAC-SHA256 here: the hidden cases cannot be made."));
  uint64_t seed = 0;
  for (size_t i = 0; i < sizeof seed; ++i) seed = seed << 8 | digest[i];  // the same on every machine
  return seed;
}

// Four kinds in turn: an odd size, one near a power of two, one near a multiple of a block, any size.
size_t draw_size(int kind, size_t block, size_t most, Random& random) {
  const auto near = [&](size_t middle) { return middle + random.below(7) - std::min<size_t>(3, middle); };
  size_t n = 0;
  switch (kind % 4) {
    case 0: n = 2 * random.below(most / 2) + 1; break;
    case 1: n = near(size_t{1} << random.below(static_cast<uint64_t>(std::bit_width(most)))); break;
    case 2: n = near(block * (1 + random.below(1 + most / block))); break;
    default: n = 1 + random.below(most);
  }
  return std::clamp<size_t>(n, 1, most);
}

std::vector<Case> draw_cases(const std::string& secret, const Lab& lab) {
  std::vector<Case> cases;
  for (const std::string& name : lab.entries) {
    Random random(derive(secret, lab.name + "/" + name));
    const EntryInfo* entry = lab.contract->find_entry(name);
    const std::vector<std::string> inputs = lab.inputs_of(*entry);
    const size_t first_input = random.below(inputs.size());
    for (int i = 0; i < kSmallCases + kLargeCases; ++i) {
      const size_t most = std::min(lab.sizes.largest, i < kSmallCases ? kLargestChecked : kLarge);
      const int own = entry->takes_block ? lab.blocks[random.below(lab.blocks.size())] : 0;
      const size_t block = own != 0 ? static_cast<size_t>(own) : kBlocks[random.below(std::size(kBlocks))];
      size_t n = draw_size(i, block, most, random);
      for (int again = 0; is_public_size(lab, n) && again < 100; ++again) n = draw_size(3, block, most, random);
      const std::string& input = inputs[(first_input + static_cast<size_t>(i)) % inputs.size()];
      cases.push_back({name + "." + std::to_string(n) + "." + input, entry, input, n, random.bits(), own});
      draw_offsets(cases.back(), lab);
    }
  }
  return cases;
}

size_t read_offset(Reader& reader, const char* key, const Lab& lab) {
  const auto offset = reader.get<size_t>(key, lab.offsets.front());
  if (std::ranges::find(lab.offsets, offset) == lab.offsets.end())
    reader.fail(message("has an \"{key}\" that is none of the lab's \"offsets\"", {{"key", std::string(key)}}));
  return offset;
}

// A case from the instructor's list: {"n", "input"}, and optionally "entry", "seed", "block", "in_offset",
// "out_offset".
Case read_case(const Json& json, size_t number, const std::string& secret, const Lab& lab) {
  const std::string name = lab.name + ", case " + std::to_string(number);  // its seed is made of it
  Reader reader(json, message("the hidden {lab}, case {number}", {{"lab", lab.name}, {"number", number}}),
                "docs/grading.md");
  Case made;
  made.n = reader.get<size_t>("n");
  if (made.n > std::max(lab.sizes.largest, lab.sizes.real))
    reader.fail(message("has an \"n\" above the lab's largest, {number}",
                        {{"number", std::max(lab.sizes.largest, lab.sizes.real)}}));
  made.input = made.n == 0 ? reader.get<std::string>("input", "empty") : reader.get<std::string>("input");
  const auto entry = reader.get<std::string>("entry", lab.measured);
  if (std::ranges::find(lab.entries, entry) == lab.entries.end())
    reader.fail(message("has an \"entry\" that the lab has not, \"{entry}\"", {{"entry", entry}}));
  made.entry = lab.contract->find_entry(entry);
  const std::vector<std::string> inputs = lab.inputs_of(*made.entry);
  if (made.n > 0 && std::ranges::find(inputs, made.input) == inputs.end())
    reader.fail(message("has an \"input\" that the lab's entry has not, \"{input}\"", {{"input", made.input}}));
  made.name = entry + "." + std::to_string(made.n) + "." + made.input;
  made.seed = reader.get<uint64_t>("seed", derive(secret, name));
  made.block = reader.get<int>("block", made.entry->takes_block ? lab.blocks.front() : 0);
  if (made.entry->takes_block && std::ranges::find(lab.blocks, made.block) == lab.blocks.end())
    reader.fail(message("has a \"block\" that the lab has not"));
  if (!made.entry->takes_block && made.block != 0)
    reader.fail(message("has a \"block\", which its entry does not take"));
  made.in_offset = read_offset(reader, "in_offset", lab);
  made.out_offset = read_offset(reader, "out_offset", lab);
  reader.finish();
  return made;
}

constexpr const char* kHiddenTakes = later("--hidden takes the file with the instructor's secret.");

// True if the file is meant as a list of cases and not as random bytes: it is text that begins like JSON.
// grader/batch/hidden.py refuses the same files.
bool begins_as_list(const std::string& secret) {
  const size_t mark = secret.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const size_t first = secret.find_first_not_of(" \t\r\n", mark);
  if (first == std::string::npos || (secret[first] != '{' && secret[first] != '[')) return false;
  try {
    Json(secret).dump();  // throws if the text is not UTF-8
    return true;
  } catch (const Json::exception&) { return false; }
}

void check_labs(const Json& json, const fs::path& labs, const std::string& place) {
  for (const auto& [name, list] : json.items()) {
    if (!fs::is_directory(labs / name))
      throw JudgeFault(message("{file}: names a lab \"{name}\", which is not in {folder}.",
                               {{"file", place}, {"name", name}, {"folder", labs.string()}}));
    if (!list.is_array() || list.empty())
      throw JudgeFault(message("{file}: \"{name}\" must be a list of cases. docs/grading.md shows one.",
                               {{"file", place}, {"name", name}}));
  }
}

}  // namespace

Hidden hidden_from(const std::string& secret, const Lab& lab, const fs::path& labs, const std::string& place) {
  if (secret.size() < kShortestSecret)
    throw JudgeFault(
        message("{file}: is shorter than {least} bytes, and so could be guessed. Make one: openssl rand -hex 32 > FILE",
                {{"file", place}, {"least", kShortestSecret}}));
  Hidden hidden{{}, derive(secret, lab.name + "/measured")};
  const Json json = Json::parse(secret, nullptr, false);
  if (!json.is_object() && begins_as_list(secret))
    throw JudgeFault(message("{file}: begins as a list of cases, but is no JSON object. docs/grading.md shows one.",
                             {{"file", place}}));
  if (json.is_object()) check_labs(json, labs, place);
  if (!json.is_object() || !json.contains(lab.name)) {
    hidden.cases = draw_cases(secret, lab);
  } else {
    for (const Json& item : json[lab.name])
      hidden.cases.push_back(read_case(item, hidden.cases.size() + 1, secret, lab));
  }
  for (size_t i = 0; i < hidden.cases.size(); ++i) hidden.cases[i].alias = "hidden." + std::to_string(i + 1);
  return hidden;
}

Hidden load_hidden(const fs::path& file, const Lab& lab, const fs::path& labs) {
  std::ifstream stream(file, std::ios::binary);
  std::string secret(kLargestSecret + 1, '\0');
  if (!stream.read(secret.data(), static_cast<std::streamsize>(secret.size())) && !stream.eof())
    throw JudgeFault(
        message("{file}: cannot be read. {next}", {{"file", file.string()}, {"next", message(kHiddenTakes)}}));
  secret.resize(static_cast<size_t>(stream.gcount()));
  if (secret.size() > kLargestSecret)
    throw JudgeFault(
        message("{file}: is larger than 1 MiB. {next}", {{"file", file.string()}, {"next", message(kHiddenTakes)}}));
  return hidden_from(secret, lab, labs, file.string());
}

Failure hide(Failure failure, const std::string& case_name, const std::string& alias) {
  const bool is_ours = failure.verdict == Verdict::kJudgeFault;
  Failure shown{failure.verdict,
                failure.check.starts_with("case.") ? "case." + alias : failure.check,
                {message("{case}: one of the instructor's cases, whose size and input stay with the instructor",
                         {{"case", alias}})},
                is_ours ? failure.next_step
                : failure.check.starts_with("finding.")
                    ? message("Public cases under the same checks show the line. The command is ./lab check NN "
                              "--thorough.")
                    : message("Which sizes, inputs, blocks or addresses does the code take for granted? Another --seed "
                              "brings other public cases."),
                ""};
  shown.instructor =
      Failure::Secret{case_name, std::move(failure.check), std::move(failure.steps), std::move(failure.printed)};
  return shown;
}

}  // namespace warpladder
