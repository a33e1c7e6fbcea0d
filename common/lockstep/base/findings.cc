#include "base/findings.h"

#include <algorithm>

#include "base/words.h"

namespace lockstep {
namespace {

std::string cause(const Finding& f) {
  const auto location = [](const Site& site) { return site.file + ":" + std::to_string(site.line); };
  std::string one = location(f.at), other = f.other ? location(*f.other) : "";
  if (other < one) std::swap(one, other);  // the schedule decides which of two accesses comes first
  const std::string array = f.where.substr(0, f.where.find('['));
  const std::string text = f.kind + "|" + f.kernel + "|" + one + "|" + other + "|" + array;
  // Without source lines, the addresses in memory tell causes apart.
  return f.at.line ? text : text + "|" + f.where + "|" + f.message;
}

// "s_sum[1] in lines 12 and 20"
std::string place(const Finding& f) {
  const bool two = f.other && f.other->line != 0 && f.other->line != f.at.line;
  Facts facts = {{"element", f.marked_where}, {"line", std::to_string(f.at.line)}};
  if (two) facts.emplace_back("first", std::to_string(f.other->line));
  if (f.where.empty()) return two ? words("lines {first} and {line}", facts) : words("line {line}", facts);
  return two ? words("{element} in lines {first} and {line}", facts) : words("{element} in line {line}", facts);
}

std::string told_again(const Finding& f, const std::string& count) {
  const Facts facts = {{"kind", f.kind}, {"kernel", f.kernel}, {"count", count}};
  if (f.kernel.empty())
    return count == "1" ? words("{kind}, and 1 more place:", facts) : words("{kind}, and {count} more places:", facts);
  return count == "1" ? words("{kind} in kernel {kernel}, and 1 more place:", facts)
                      : words("{kind} in kernel {kernel}, and {count} more places:", facts);
}

}  // namespace

void Finding::see_again(Finding again) {
  const uint64_t total = count + again.count;
  if (again.tells > tells) *this = std::move(again);
  count = total;
}

size_t Findings::add(Finding finding) {
  if (finding.marked.empty()) {
    finding.marked = std::move(finding.message);
    finding.message = plain(finding.marked);
    finding.marked_where = std::move(finding.where);
    finding.where = plain(finding.marked_where);
  }
  const auto [entry, is_new] = by_cause_.emplace(cause(finding), findings_.size());
  if (is_new)
    findings_.push_back(std::move(finding));
  else
    findings_[entry->second].see_again(std::move(finding));
  return entry->second;
}

void Findings::add_text(size_t index, const std::string& text) {
  findings_[index].message += plain(text);
  findings_[index].marked += text;
}

void Findings::add_line(size_t index, const std::string& line) {
  const auto insert = [](std::string& message, const std::string& text) {
    message.insert(std::min(message.find("\n  Next: "), message.size()), text);
  };
  insert(findings_[index].message, plain(line));
  insert(findings_[index].marked, line);
}

void Findings::add_all(const Findings& others) {
  for (const Finding& finding : others.all()) add(finding);
}

std::vector<std::string> Findings::take_messages() {
  constexpr size_t kMostTold = 20;  // lines of other places
  std::vector<std::string> messages;
  std::map<std::string, std::vector<size_t>> others;  // kind and kernel → findings behind the first
  const auto group = [&](const Finding& f) { return f.kind + "|" + f.kernel; };
  for (; told_ < findings_.size(); ++told_) {
    const Finding& f = findings_[told_];
    const bool again = f.at.line != 0 && told_groups_.contains(group(f));
    if (again) {
      others[group(f)].push_back(told_);
      continue;
    }
    told_groups_.insert(group(f));
    messages.push_back(f.marked);
    if (f.count > 1)
      messages.back() += "\n  " + words("This happened {count} times.", {{"count", std::to_string(f.count)}});
  }
  for (const auto& [what, found] : others) {
    const size_t count = found.size();
    std::string text = told_again(findings_[found.front()], std::to_string(count));
    for (size_t i = 0; i < std::min(count, kMostTold); ++i) text += (i ? ", " : " ") + place(findings_[found[i]]);
    messages.push_back(text + (count > kMostTold ? ", …" : ""));
  }
  return messages;
}

}  // namespace lockstep
