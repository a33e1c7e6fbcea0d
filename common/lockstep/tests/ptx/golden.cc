// golden: directives → Golden, and Golden × Device → differences.
#include "tests/ptx/golden.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/words.h"

namespace lockstep::golden {
namespace {

uint32_t bytes_of(const std::string& type) {
  static const std::map<std::string, uint32_t> kBytes = {{"u8", 1},  {"s8", 1},  {"u16", 2}, {"s16", 2}, {"u32", 4},
                                                         {"s32", 4}, {"u64", 8}, {"s64", 8}, {"f32", 4}, {"f64", 8}};
  const auto found = kBytes.find(type);
  if (found == kBytes.end()) throw std::runtime_error("no such type: " + type);
  return found->second;
}

uint64_t keep(uint64_t bits, uint32_t bytes) { return bytes == 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1); }

// A literal in the type's bits. 0x… gives the bits themselves, also of a float.
uint64_t parse_value(const std::string& text, const std::string& type) {
  size_t used = 0;
  uint64_t bits = 0;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("-0x");
  if (type[0] == 'f' && !hexadecimal) {
    const double value = std::stod(text, &used);
    bits = type == "f32" ? std::bit_cast<uint32_t>(std::stof(text)) : std::bit_cast<uint64_t>(value);
  } else if (text[0] == '-') {
    bits = static_cast<uint64_t>(std::stoll(text, &used, 0));
  } else {
    bits = std::stoull(text, &used, 0);
  }
  if (used != text.size()) throw std::runtime_error("not a value: " + text);
  return keep(bits, bytes_of(type));
}

void append_values(const std::string& text, Values* values) {
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (const auto dots = word.find(".."); dots != std::string::npos) {
      const long first = std::stol(word.substr(0, dots)), last = std::stol(word.substr(dots + 2));
      const long step = first <= last ? 1 : -1;
      for (long v = first; v != last + step; v += step)
        values->bits.push_back(parse_value(std::to_string(v), values->type));
    } else if (const auto star = word.find('*'); star != std::string::npos) {
      const uint64_t value = parse_value(word.substr(0, star), values->type);
      values->bits.insert(values->bits.end(), std::stoul(word.substr(star + 1)), value);
    } else {
      values->bits.push_back(parse_value(word, values->type));
    }
  }
}

Dim3 parse_dim3(const std::string& text) {
  Dim3 dim;
  char comma;
  std::istringstream in(text);
  in >> dim.x >> comma >> dim.y >> comma >> dim.z;
  // A failed read sets the number to zero; a number that is not written is one.
  const auto commas = std::count(text.begin(), text.end(), ',');
  if (commas < 1) dim.y = 1;
  if (commas < 2) dim.z = 1;
  return dim;
}

Argument parse_argument(const std::string& word) {
  Argument argument;
  if (word.find(':') == std::string::npos) {
    const auto plus = word.find('+');
    argument.buffer = word.substr(0, plus);
    if (plus != std::string::npos) argument.offset = std::stoull(word.substr(plus + 1));
    return argument;
  }
  uint32_t align = 1;
  std::istringstream members(word);
  for (std::string member; std::getline(members, member, '|');) {
    const auto colon = member.find(':');
    const std::string type = member.substr(0, colon);
    const uint64_t bits = parse_value(member.substr(colon + 1), type);
    const uint32_t bytes = bytes_of(type);
    align = std::max(align, bytes);
    while (argument.bytes.size() % bytes) argument.bytes.push_back(std::byte{0});
    for (uint32_t b = 0; b < bytes; ++b) argument.bytes.push_back(static_cast<std::byte>(bits >> (8 * b)));
  }
  while (argument.bytes.size() % align) argument.bytes.push_back(std::byte{0});
  return argument;
}

Launch parse_launch(const std::string& text) {
  Launch launch;
  std::istringstream in(text);
  std::string grid, block;
  in >> launch.kernel >> grid >> block;
  launch.grid = parse_dim3(grid);
  launch.block = parse_dim3(block);
  bool in_arguments = false;
  for (std::string word; in >> word;) {
    if (in_arguments) {
      launch.arguments.push_back(parse_argument(word));
    } else if (word == ":") {
      in_arguments = true;
    } else if (word == "cooperative") {
      launch.cooperative = true;
    } else if (word.starts_with("shared=")) {
      launch.shared_bytes = std::stoull(word.substr(7));
    } else {
      throw std::runtime_error("not part of a launch: " + word);
    }
  }
  return launch;
}

Status parse_status(const std::string& name) {
  static const std::map<std::string, Status> kStatuses = {
      {"invalid_value", Status::kInvalidValue},
      {"invalid_configuration", Status::kInvalidConfiguration},
      {"invalid_device_function", Status::kInvalidDeviceFunction},
      {"invalid_ptx", Status::kInvalidPtx},
      {"unsupported_instruction", Status::kUnsupportedInstruction},
      {"illegal_address", Status::kIllegalAddress},
      {"out_of_resources", Status::kLaunchOutOfResources},
      {"timeout", Status::kLaunchTimeout},
      {"assert", Status::kAssert},
      {"illegal_instruction", Status::kIllegalInstruction},
      {"misaligned_address", Status::kMisalignedAddress},
      {"launch_failure", Status::kLaunchFailure},
      {"cooperative_too_large", Status::kCooperativeLaunchTooLarge}};
  const auto found = kStatuses.find(name);
  if (found == kStatuses.end()) throw std::runtime_error("no such status: " + name);
  return found->second;
}

void parse_directive(const std::string& line, Golden* golden) {
  const auto space = line.find(' ');
  const std::string verb = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
  const auto equals = rest.find(" =");
  std::istringstream head(rest.substr(0, equals));
  const std::string tail = equals == std::string::npos ? "" : rest.substr(equals + 2);
  if (verb == "buffer") {
    Buffer buffer;
    head >> buffer.name >> buffer.values.type;
    append_values(tail, &buffer.values);
    golden->buffers.push_back(buffer);
  } else if (verb == "expect") {
    Expectation e;
    std::string option;
    head >> e.name >> e.values.type >> option;
    e.sorted = option == "sorted";
    if (option == "within") head >> e.within;
    append_values(tail, &e.values);
    golden->expectations.push_back(e);
  } else if (verb == "launch") {
    golden->launches.push_back(parse_launch(rest));
  } else if (verb == "prints") {
    golden->printed += rest + "\n";
  } else if (verb == "fails") {
    golden->fails = parse_status(rest);
  } else if (verb == "says") {
    golden->says.push_back(rest);
  } else if (verb == "lockstep-only") {
    golden->lockstep_only = true;
  } else if (verb == "arch") {
    golden->arch = std::stoi(rest);
  } else {
    throw std::runtime_error("no such directive: " + verb);
  }
}

std::string show(uint64_t bits, const std::string& type) {
  std::ostringstream out;
  if (type == "f32") {
    out << std::bit_cast<float>(static_cast<uint32_t>(bits)) << " (0x" << std::hex << bits << ")";
  } else if (type == "f64") {
    out << std::bit_cast<double>(bits) << " (0x" << std::hex << bits << ")";
  } else {
    out << bits << " (0x" << std::hex << bits << ")";
  }
  return out.str();
}

double as_double(uint64_t bits, const std::string& type) {
  return type == "f32" ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : std::bit_cast<double>(bits);
}

bool same(uint64_t got, uint64_t want, const std::string& type, double within) {
  if (got == want) return true;
  if (type[0] != 'f') return false;
  const double g = as_double(got, type), w = as_double(want, type);
  // Any NaN will do: machines differ in which one they return.
  if (std::isnan(w)) return std::isnan(g);
  return within > 0 && std::abs(g - w) <= within * std::abs(w);
}

void compare(const Expectation& e, Device& device, uint64_t address, std::vector<std::string>* differences) {
  const uint32_t bytes = bytes_of(e.values.type);
  std::vector<std::byte> raw(e.values.bits.size() * bytes);
  const Outcome copied = device.copy_out(raw.data(), address, raw.size());
  if (!copied.ok()) {
    differences->push_back(e.name + " cannot be read: " + copied.message);
    return;
  }
  std::vector<uint64_t> got(e.values.bits.size(), 0), want = e.values.bits;
  for (size_t i = 0; i < got.size(); ++i) std::memcpy(&got[i], raw.data() + i * bytes, bytes);
  if (e.sorted) {
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
  }
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (same(got[i], want[i], e.values.type, e.within)) continue;
    if (wrong++ < 4)
      differences->push_back(e.name + "[" + std::to_string(i) + "]: got " + show(got[i], e.values.type) + ", want " +
                             show(want[i], e.values.type));
  }
  if (wrong > 4) differences->push_back("… " + std::to_string(wrong) + " wrong of " + std::to_string(got.size()));
}

// Buffers by name, for the length of one run.
class Memory {
 public:
  Memory(const Golden& golden, Device& device) : device_(device) {
    for (const Buffer& buffer : golden.buffers) {
      const uint32_t bytes = bytes_of(buffer.values.type);
      std::vector<std::byte> raw(buffer.values.bits.size() * bytes);
      for (size_t i = 0; i < buffer.values.bits.size(); ++i)
        std::memcpy(raw.data() + i * bytes, &buffer.values.bits[i], bytes);
      uint64_t& address = addresses_[buffer.name];
      Outcome made = device.allocate(raw.size(), &address);
      if (made.ok()) made = device.copy_in(address, raw.data(), raw.size());
      if (!made.ok()) throw std::runtime_error("buffer " + buffer.name + ": " + made.message);
    }
  }
  ~Memory() {
    for (const auto& [name, address] : addresses_) device_.free(address);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t address(const std::string& name, ModuleId module) const {
    if (const auto found = addresses_.find(name); found != addresses_.end()) return found->second;
    GlobalInfo global;
    const Outcome outcome = device_.find_global(module, name, &global);
    if (!outcome.ok()) throw std::runtime_error("neither a buffer nor a variable: " + name + ": " + outcome.message);
    return global.address;
  }

 private:
  Device& device_;
  std::map<std::string, uint64_t> addresses_;
};

Outcome run_launch(const Launch& launch, const Memory& memory, ModuleId module, Device& device) {
  FunctionInfo function;
  if (Outcome found = device.find_function(module, launch.kernel, &function); !found.ok()) return found;
  if (function.params.size() != launch.arguments.size())
    throw std::runtime_error(launch.kernel + " takes " + std::to_string(function.params.size()) + " arguments");
  std::vector<std::byte> params(function.param_bytes);
  for (size_t i = 0; i < function.params.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    std::vector<std::byte> bytes = argument.bytes;
    if (!argument.buffer.empty()) {
      const uint64_t address = memory.address(argument.buffer, module) + argument.offset;
      bytes.resize(sizeof address);
      std::memcpy(bytes.data(), &address, sizeof address);
    }
    if (bytes.size() != function.params[i].bytes)
      throw std::runtime_error("argument " + std::to_string(i) + " has " + std::to_string(bytes.size()) +
                               " bytes, the parameter " + std::to_string(function.params[i].bytes));
    std::memcpy(params.data() + function.params[i].offset, bytes.data(), bytes.size());
  }
  if (launch.shared_bytes > 48 << 10) {
    if (Outcome set = device.set_max_dynamic_shared(function.id, launch.shared_bytes); !set.ok()) return set;
  }
  const Outcome launched = device.launch(
      {function.id, launch.grid, launch.block, launch.shared_bytes, launch.cooperative, std::span(params)});
  return launched.ok() ? device.synchronise() : launched;
}

}  // namespace

Golden read_golden(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  Golden golden;
  std::vector<std::pair<int, std::string>> directives;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    golden.text += line + "\n";
    if (line.starts_with("//!   ")) {
      if (directives.empty()) throw std::runtime_error(path.string() + ": nothing to go on with");
      directives.back().second += " " + line.substr(6);
    } else if (line.starts_with("//! ")) {
      directives.emplace_back(number, line.substr(4));
    }
  }
  for (const auto& [line, directive] : directives) {
    try {
      parse_directive(directive, &golden);
    } catch (const std::exception& error) {
      throw std::runtime_error(path.string() + ":" + std::to_string(line) + ": " + error.what());
    }
  }
  return golden;
}

std::vector<std::filesystem::path> find_goldens(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> run_golden(const Golden& golden, Device& device, const RunOptions& options) {
  std::vector<std::string> differences;
  ModuleId module = 0;
  Outcome outcome = device.load_module({golden.text}, &module);
  const Memory memory(golden, device);
  for (const Launch& launch : golden.launches)
    if (outcome.ok()) outcome = run_launch(launch, memory, module, device);

  if (outcome.status != golden.fails)
    differences.push_back("status " + std::to_string(static_cast<int>(outcome.status)) + ", want " +
                          std::to_string(static_cast<int>(golden.fails)) + ": " + plain(outcome.message));
  if (options.check_messages)
    for (const std::string& part : golden.says)
      if (plain(outcome.message).find(part) == std::string::npos)
        differences.push_back("the message lacks \"" + part + "\": " + plain(outcome.message));
  if (outcome.ok())
    for (const Expectation& e : golden.expectations) compare(e, device, memory.address(e.name, module), &differences);
  if (options.check_output)
    if (const std::string printed = device.take_output(); printed != golden.printed)
      differences.push_back("printed:\n" + printed + "want:\n" + golden.printed);
  return differences;
}

}  // namespace lockstep::golden
