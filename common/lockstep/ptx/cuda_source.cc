#include "ptx/cuda_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace lockstep {
namespace {

using Words = std::set<std::string_view>;

// Words in a declaration that are neither its type nor its name.
const Words kQualifiers = {"__shared__", "__device__", "__constant__", "__managed__", "static",       "extern",
                           "const",      "volatile",   "constexpr",    "inline",      "__restrict__", "typename"};
const Words kNotFunctions = {"if", "for", "while", "switch", "return", "sizeof", "catch", "alignof", "decltype"};
// They stand before a bracket in a signature, and are not its name.
const Words kAttributes = {"__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__",
                           "__align__",         "alignas",          "__attribute__",  "noexcept"};

// Bytes of a type of C++'s or CUDA's own; 0: another one.
uint32_t bytes_of_type(const std::string& type) {
  static const std::map<std::string, uint32_t> kBytes = [] {
    std::map<std::string, uint32_t> bytes = {
        {"bool", 1},       {"int8_t", 1},        {"uint8_t", 1},     {"std::byte", 1},   {"half", 2},
        {"__half", 2},     {"__nv_bfloat16", 2}, {"int16_t", 2},     {"uint16_t", 2},    {"float", 4},
        {"__half2", 4},    {"int32_t", 4},       {"uint32_t", 4},    {"unsigned", 4},    {"double", 8},
        {"int64_t", 8},    {"uint64_t", 8},      {"size_t", 8},      {"std::size_t", 8}, {"unsigned int", 4},
        {"signed int", 4}, {"signed", 4},        {"signed char", 1}, {"dim3", 12}};
    const std::pair<const char*, uint32_t> kPlain[] = {
        {"char", 1}, {"short", 2}, {"int", 4}, {"long", 8}, {"long long", 8}};
    for (const auto& [name, size] : kPlain) bytes[name] = bytes[std::string("unsigned ") + name] = size;
    const std::pair<const char*, uint32_t> kVectors[] = {{"char", 1}, {"uchar", 1}, {"short", 2},    {"ushort", 2},
                                                         {"int", 4},  {"uint", 4},  {"float", 4},    {"double", 8},
                                                         {"long", 8}, {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}};
    for (const auto& [name, size] : kVectors)
      for (uint32_t n = 1; n <= 4; ++n) bytes[name + std::to_string(n)] = n * size;
    return bytes;
  }();
  const auto found = kBytes.find(type);
  return found == kBytes.end() ? 0 : found->second;
}

bool is(const SourceToken& token, std::string_view text) { return token.text == text; }
bool is_word(const SourceToken& token) { return token.kind == SourceToken::kWord; }

// The tokens [begin, end) of a source.
struct Span {
  const SourceToken* begin;
  const SourceToken* end;
  bool has(const Words& words) const {
    return std::any_of(begin, end, [&](const SourceToken& t) { return words.contains(t.text); });
  }
};

// Behind the bracket that closes the one at `open`; null if none does.
const SourceToken* behind_bracket(const SourceToken* open, const SourceToken* end) {
  const std::string_view opens = open->text, closes = opens == "(" ? ")" : opens == "[" ? "]" : "}";
  int depth = 0;
  for (const SourceToken* t = open; t != end; ++t) {
    depth += is(*t, opens);
    depth -= is(*t, closes);
    if (depth == 0) return t + 1;
  }
  return nullptr;
}

// Splits at commas that stand in no bracket. In an expression, < is not a bracket.
std::vector<Span> parts(Span list, bool angles = true) {
  std::vector<Span> found;
  int depth = 0;
  const SourceToken* begin = list.begin;
  for (const SourceToken* t = list.begin; t != list.end; ++t) {
    depth += is(*t, "(") || is(*t, "[") || is(*t, "{") || (angles && is(*t, "<"));
    depth -= is(*t, ")") || is(*t, "]") || is(*t, "}") || (angles && is(*t, ">"));
    if (depth > 0 || !is(*t, ",")) continue;
    found.push_back({begin, t});
    begin = t + 1;
  }
  if (begin != list.end) found.push_back({begin, list.end});
  return found;
}

// "const float* __restrict__ in" → "in". A macro may stand for several parameters, or for another name.
std::string parameter_name(Span parameter, const std::map<std::string, SourceTokens>& macros) {
  const SourceToken* end =
      std::find_if(parameter.begin, parameter.end, [](const SourceToken& t) { return is(t, "=") || is(t, "["); });
  if (end - parameter.begin < 2) return "";
  for (const SourceToken* t = parameter.begin; t != end; ++t)
    if (t->doubtful || is(*t, "(") || is(*t, ".")) return "";
  const SourceToken& last = end[-1];
  if (macros.contains(std::string(last.text))) return "";
  const bool has_type = !kQualifiers.contains(end[-2].text) || is(end[-2], "__restrict__") || end - parameter.begin > 2;
  if (!is_word(last) || kQualifiers.contains(last.text) || bytes_of_type(std::string(last.text)) || !has_type)
    return "";
  return std::string(last.text);
}

class Reader {
 public:
  explicit Reader(CudaSource& source) : source_(source), read_(cuda_tokens(source.text)) {
    for (const auto& [name, value] : read_.macros) define(name, value);
    macros_ = source.constants;
  }

  void run() {
    const SourceToken* t = read_.tokens.data();
    const SourceToken* const end = t + read_.tokens.size();
    const SourceToken* statement = t;
    constants({t, end});
    while (t != end) {
      if (is(*t, ";")) declaration({statement, t}, source_.variables);
      if (is(*t, "(")) {
        const SourceToken* const behind = behind_bracket(t, end);
        if (!behind) return;
        const SourceToken* const next = function(statement, t, behind, end);
        t = next ? next : behind;
        if (next) statement = t;
        continue;
      }
      if (is(*t, ";") || is(*t, "{") || is(*t, "}")) statement = t + 1;
      ++t;
    }
  }

 private:
  void define(const std::string& name, SourceTokens value) {
    const auto same = [](const SourceToken& a, const SourceToken& b) { return a.text == b.text; };
    const auto [known, is_new] = source_.constants.emplace(name, value);
    if (!is_new && !std::ranges::equal(known->second, value, same)) known->second.clear();
  }

  // constexpr int kTile = 32, kPad = 1;
  void constants(Span all) {
    int depth = 0;
    for (const SourceToken* t = all.begin; t != all.end; ++t) {
      depth += is(*t, "(") ? 1 : is(*t, ")") ? -1 : 0;
      if (depth > 0 || !(is(*t, "const") || is(*t, "constexpr"))) continue;
      const SourceToken* const stop = std::find_if(t, all.end, [](const SourceToken& s) { return is(s, ";"); });
      for (const Span& one : parts({t, stop}, false)) {
        const SourceToken* const equals = std::find_if(one.begin, one.end, [](auto& s) { return is(s, "="); });
        if (equals == one.end || equals == one.begin || !is_word(equals[-1])) continue;
        const bool doubtful = equals->doubtful;
        define(std::string(equals[-1].text), doubtful ? SourceTokens{} : SourceTokens(equals + 1, one.end));
      }
    }
  }

  // A bracket after a name, outside of functions. If a body follows, it is a function: returns the token behind it.
  const SourceToken* function(const SourceToken* statement, const SourceToken* open, const SourceToken* behind,
                              const SourceToken* end) {
    if (open == statement || behind == end) return nullptr;
    const SourceToken* name = open - 1;
    if (!is_word(*name) || kNotFunctions.contains(name->text) || kAttributes.contains(name->text)) return nullptr;
    const SourceToken* body = behind;
    while (body && body != end && (is(*body, "const") || kAttributes.contains(body->text)))
      body = body + 1 != end && is(body[1], "(") ? behind_bracket(body + 1, end) : body + 1;
    if (!body || body == end || !is(*body, "{")) return nullptr;
    const SourceToken* const last = behind_bracket(body, end);
    if (!last) return nullptr;
    DeclaredFunction found;
    const Span head{statement, open};
    found.name = name->text;
    found.is_kernel = head.has({"__global__"});
    found.first_line = statement->line;
    found.last_line = last[-1].line;
    if (name->doubtful || macros_.contains(found.name)) found.name.clear();
    found.template_parameters = template_parameters(head);
    for (const Span& part : parts({open + 1, behind - 1})) found.parameters.push_back(parameter_name(part, macros_));
    arrays_in({body + 1, last - 1}, found.shared);
    source_.functions.push_back(std::move(found));
    return last;
  }

  // The names of the innermost template's parameters.
  std::vector<std::string> template_parameters(Span head) const {
    std::vector<std::string> names;
    const SourceToken* t = std::find_if(head.begin, head.end, [](auto& s) { return is(s, "template"); });
    if (t == head.end || ++t == head.end) return names;
    int depth = 0;
    const SourceToken* const open = t;
    for (; t != head.end; ++t) {
      depth += is(*t, "<") ? 1 : is(*t, ">") ? -1 : 0;
      if (depth == 0) break;
    }
    if (t == head.end) return names;
    for (const Span& part : parts({open + 1, t})) {
      const SourceToken* const stop = std::find_if(part.begin, part.end, [](auto& s) { return is(s, "="); });
      names.emplace_back(stop - part.begin >= 2 && is_word(stop[-1]) ? stop[-1].text : "");
    }
    return names;
  }

  void arrays_in(Span body, std::vector<DeclaredArray>& out) const {
    const SourceToken* begin = body.begin;
    for (const SourceToken* t = body.begin; t != body.end; ++t) {
      if (is(*t, ";")) declaration({begin, t}, out);
      if (is(*t, ";") || is(*t, "{") || is(*t, "}")) begin = t + 1;
    }
  }

  // Adds the arrays and variables that the statement declares, if it declares some of the device's.
  void declaration(Span whole, std::vector<DeclaredArray>& out) const {
    if (!whole.has({"__shared__", "__device__", "__constant__", "__managed__"})) return;
    const SourceTokens tokens = without_attributes(whole);
    const Span statement{tokens.data(), tokens.data() + tokens.size()};
    std::string type;
    for (const Span& one : parts(statement)) {
      const SourceToken* stop =
          std::find_if(one.begin, one.end, [](auto& s) { return is(s, "[") || is(s, "=") || is(s, "{"); });
      if (stop == one.begin || !is_word(stop[-1]) || Span{one.begin, one.end}.has({"(", "using", "__global__"})) return;
      if (one.begin == statement.begin) type = type_text({one.begin, stop - 1});
      DeclaredArray array{std::string(stop[-1].text), bytes_of_type(type), {}};
      if (stop[-1].doubtful || macros_.contains(array.name)) continue;
      while (stop != one.end && is(*stop, "[")) {
        const SourceToken* const behind = behind_bracket(stop, one.end);
        if (!behind) return;
        array.extents.emplace_back(stop + 1, behind - 1);
        stop = behind;
      }
      out.push_back(std::move(array));
    }
  }

  static SourceTokens without_attributes(Span all) {
    SourceTokens tokens;
    for (const SourceToken* t = all.begin; t != all.end; ++t) {
      const bool attribute = kAttributes.contains(t->text) && t + 1 != all.end && is(t[1], "(");
      const SourceToken* const behind = attribute ? behind_bracket(t + 1, all.end) : nullptr;
      if (behind)
        t = behind - 1;
      else
        tokens.push_back(*t);
    }
    return tokens;
  }

  static std::string type_text(Span tokens) {
    std::string type;
    for (const SourceToken* t = tokens.begin; t != tokens.end; ++t) {
      if (kQualifiers.contains(t->text)) continue;
      const bool joined = type.empty() || is(*t, ":") || type.back() == ':';
      type += (joined ? "" : " ") + std::string(t->text);
    }
    return type;
  }

  CudaSource& source_;
  CudaTokens read_;
  std::map<std::string, SourceTokens> macros_;
};

std::string text_of(const std::string& file) {
  constexpr off_t kMost = 256 << 10;
  std::string text;
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  // The program names the file, so it may be anything.
  if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= kMost) {
    text.resize(static_cast<size_t>(about.st_size));
    const ssize_t got = pread(fd, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  }
  if (fd >= 0) close(fd);
  return text;
}

}  // namespace

std::unique_ptr<const CudaSource> read_cuda_source(std::string text) {
  auto source = std::make_unique<CudaSource>();
  source->text = std::move(text);
  Reader(*source).run();
  return source;
}

const CudaSource& cuda_source_of(const std::string& file) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, std::unique_ptr<const CudaSource>>;  // until the process ends
  const std::lock_guard lock(mutex);
  auto& source = (*known)[file];
  if (!source) source = read_cuda_source(text_of(file));
  return *source;
}

FunctionName function_name(std::string_view demangled) {
  FunctionName name;
  int depth = 0;
  size_t begin = 0, arguments = 0;
  for (size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '(' && depth == 0 && !demangled.substr(i).starts_with("(anonymous namespace)")) break;
    if (c == '<' && depth++ == 0) arguments = i + 1, name.arguments.clear();
    const bool ends = c == '>' ? --depth == 0 : c == ',' && depth == 1;
    if (ends) {
      const size_t first = demangled.find_first_not_of(' ', arguments);
      name.arguments.emplace_back(demangled.substr(first, i - first));
      arguments = i + 1;
    }
    if (depth > 0 || ends) continue;
    const bool in_name = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
    if (!in_name)
      begin = i + 1, name.base.clear(), name.arguments.clear();
    else
      name.base = demangled.substr(begin, i + 1 - begin);
  }
  return name;
}

std::vector<std::string> parameter_types(std::string_view demangled) {
  std::vector<std::string> types;
  int depth = 0;  // of brackets inside the list
  size_t begin = 0;
  for (size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '(' && depth == 0 && demangled.substr(i).starts_with("(anonymous namespace)")) {
      i += std::string_view("(anonymous namespace)").size() - 1;
      continue;
    }
    const bool ends = begin != 0 && ((c == ',' && depth == 1) || (c == ')' && depth == 1));
    if (ends && i > begin) {
      const size_t first = demangled.find_first_not_of(' ', begin);
      types.emplace_back(demangled.substr(first, i - first));
    }
    if (c == '(' && depth == 0) begin = i + 1;
    if (ends) begin = i + 1;
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (c == ')' && depth == 0) break;
  }
  if (types.size() == 1 && types[0] == "void") types.clear();
  return types;
}

uint32_t element_bytes(std::string type) {
  if (type.empty() || type.find_first_of("(<&") != std::string::npos) return 0;
  for (const char* word : {"__restrict__", "__restrict", "const", "volatile"})
    for (size_t at; (at = type.find(word)) != std::string::npos;) type.erase(at, std::string_view(word).size());
  std::erase_if(type, [stars = 0](char c) mutable { return c == '*' && stars++ == 0; });
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type.ends_with('*') ? 8 : bytes_of_type(type);
}

}  // namespace lockstep
