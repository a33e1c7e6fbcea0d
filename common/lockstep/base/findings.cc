#include "base/findings.h"

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

}  // namespace

void Finding::see_again(Finding again) {
  const uint64_t total = count + again.count;
  if (again.tells > tells) *this = std::move(again);
  count = total;
}

size_t Findings::add(Finding finding) {
  const auto [entry, is_new] = by_cause_.emplace(cause(finding), findings_.size());
  if (is_new)
    findings_.push_back(std::move(finding));
  else
    findings_[entry->second].see_again(std::move(finding));
  return entry->second;
}

void Findings::add_all(const Findings& others) {
  for (const Finding& finding : others.all()) add(finding);
}

std::vector<std::string> Findings::take_messages() {
  std::vector<std::string> messages;
  for (; told_ < findings_.size(); ++told_) {
    const Finding& f = findings_[told_];
    messages.push_back(f.count == 1 ? f.message
                                    : f.message + "\n  This happened " + std::to_string(f.count) + " times.");
  }
  return messages;
}

}  // namespace lockstep
