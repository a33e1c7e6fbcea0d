#include "runtime/host_pages.h"

#include <execinfo.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "runtime/memory_signal.h"

namespace lockstep::runtime {
namespace {

constexpr uint64_t kPage = 4096;
constexpr size_t kMostTouches = 64;     // between two calls of the runtime
constexpr uint64_t kShort = 2 * kPage;  // bytes; a shorter use closes pages that it shares
constexpr uint32_t kMostSteps = 100'000;
constexpr size_t kMostPending = 8192;  // uses; later ones are not watched

// Held for a few instructions, also by the handler: a mutex is not allowed there.
class SpinLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {}
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

struct State {
  SpinLock lock;
  // By begin, end, stream and kind.
  std::map<std::tuple<uint64_t, uint64_t, uint32_t, HostUse::Kind>, PendingUse> pending;
  bool closed = false;
  std::atomic<uint64_t> changes{1};  // of what is closed
  std::array<PageTouch, kMostTouches> touches;
  std::atomic<size_t> touch_count{0};
  uint32_t steps = 0;
  struct sigaction before_segv {
  }, before_trap{};
};

State& state() {
  static auto* const only = new State;
  return *only;
}

// Thread-local memory that exists before the handler runs.
#define LOCKSTEP_EARLY_TLS thread_local __attribute__((tls_model("initial-exec")))
LOCKSTEP_EARLY_TLS uint64_t t_seen_changes = 0;
LOCKSTEP_EARLY_TLS uint64_t t_step_page = 0, t_step_changes = 0;

void protect(uint64_t begin, uint64_t end, int rights) {
  if (begin < end) mprotect(reinterpret_cast<void*>(begin), end - begin, rights);
}

// The pages that a use closes.
struct Pages {
  uint64_t begin = 0, end = 0;
  bool hold(uint64_t address) const { return address >= begin && address < end; }
};

Pages pages_of(const PendingUse& p) {
  Pages pages{p.use.begin / kPage * kPage, (p.use.end + kPage - 1) / kPage * kPage};
  const bool known = p.whole.end != 0;
  if (known && p.use.end - p.use.begin < kShort) return pages;
  if (p.use.begin > (known ? std::max(pages.begin, p.whole.begin) : pages.begin)) pages.begin += kPage;
  if (p.use.end < (known ? std::min(pages.end, p.whole.end) : pages.end)) pages.end -= kPage;
  pages.end = std::max(pages.begin, pages.end);
  return pages;
}

// Sets the rights to the pages of these uses. Uses of adjacent pages take one call.
template <typename Wanted>
void protect_all(const State& s, int rights, Wanted&& wanted) {
  Pages run;
  for (const auto& [key, p] : s.pending) {
    if (p.told || !wanted(p)) continue;
    const Pages pages = pages_of(p);
    if (pages.begin >= run.begin && pages.begin <= run.end) {
      run.end = std::max(run.end, pages.end);
    } else {
      protect(run.begin, run.end, rights);
      run = pages;
    }
  }
  protect(run.begin, run.end, rights);
}

int rights_of(const PendingUse& p) { return p.use.kind == HostUse::kRead ? PROT_READ : PROT_NONE; }

// The stack of the code that faulted. A return address is that of the next instruction, which may be on another line.
void note_stack(PageTouch& touch, const ucontext_t& context) {
  std::array<void*, 20> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  void* const here = reinterpret_cast<void*>(instruction_of(context));
  const auto end = frames.begin() + count;
  const auto first = std::find(frames.begin(), end, here);
  touch.stack[touch.depth++] = reinterpret_cast<uintptr_t>(here);
  for (auto f = first == end ? end : first + 1; f != end && touch.depth < touch.stack.size(); ++f)
    touch.stack[touch.depth++] = reinterpret_cast<uintptr_t>(*f) - 1;
}

// Opens all pages of the work that was touched: one touch of each work is told.
void tell(State& s, const PendingUse& touched, uint64_t address, const ucontext_t& context) {
  const uint64_t work = touched.work;
  if (const size_t at = s.touch_count; at < kMostTouches) {
    s.touches[at] = {.work = work,
                     .address = address,
                     .stream = touched.stream,
                     .writes = touched.use.kind == HostUse::kRead || writes(context),
                     .is_signal = touched.use.kind == HostUse::kSignal};
    note_stack(s.touches[at], context);
    s.touch_count = at + 1;
  }
  for (auto& [key, p] : s.pending) {
    if (p.work != work) continue;
    p.told = true;
    const Pages pages = pages_of(p);
    protect(pages.begin, pages.end, PROT_READ | PROT_WRITE);
  }
}

// Lets one instruction run with the page open, if the processor can stop behind it.
void step_over(State& s, uint64_t page, ucontext_t& context) {
  protect(page, page + kPage, PROT_READ | PROT_WRITE);
#if defined(__x86_64__)
  if (sigismember(&context.uc_sigmask, SIGTRAP) || s.steps >= kMostSteps) return;
  ++s.steps;
  t_step_page = page;
  t_step_changes = s.changes;
  context.uc_mcontext.gregs[REG_EFL] |= 0x100;  // the trap flag
#else
  (void)s, (void)context;
#endif
}

// True: the access may be tried again.
bool resolve(State& s, uint64_t address, ucontext_t& context) {
  const std::lock_guard lock(s.lock);
  const PendingUse* touched = nullptr;
  bool closed = false;
  for (const auto& [key, p] : s.pending) {
    if (!s.closed || p.told || !pages_of(p).hold(address)) continue;
    closed = true;
    const bool used = address >= p.use.begin && address < p.use.end;
    if (used && (p.use.kind != HostUse::kRead || writes(context))) touched = &p;
  }
  if (touched) return tell(s, *touched, address, context), true;
  if (closed) return step_over(s, address / kPage * kPage, context), true;
  // Another thread may have opened the page since this one faulted.
  const bool changed = t_seen_changes != s.changes;
  t_seen_changes = s.changes;
  return changed;
}

void on_segv(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  State& s = state();
  if (!resolve(s, reinterpret_cast<uint64_t>(info->si_addr), *static_cast<ucontext_t*>(context)))
    errno = error, pass_on(s.before_segv, signal, info, context);
  errno = error;
}

void on_trap(int signal, siginfo_t* info, void* context) {
  State& s = state();
  if (t_step_page == 0) return pass_on(s.before_trap, signal, info, context);
#if defined(__x86_64__)
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
#endif
  const uint64_t page = std::exchange(t_step_page, 0);
  const std::lock_guard lock(s.lock);
  if (t_step_changes != s.changes) return;
  int rights = PROT_READ | PROT_WRITE;
  for (const auto& [key, p] : s.pending)
    if (!p.told && pages_of(p).hold(page)) rights = std::min(rights, rights_of(p));
  protect(page, page + kPage, rights);
}

}  // namespace

void open_pages() {
  State& s = state();
  if (!s.closed) return;
  const std::lock_guard lock(s.lock);
  protect_all(s, PROT_READ | PROT_WRITE, [](const PendingUse&) { return true; });
  s.closed = false;
  ++s.changes;
}

void close_pages() {
  State& s = state();
  if (s.pending.empty()) return;
  take_signal(SIGSEGV, on_segv, s.before_segv);
  take_signal(SIGTRAP, on_trap, s.before_trap);
  std::array<void*, 2> frames;
  backtrace(frames.data(), 2);  // loads what it needs, before the handler calls it
  const std::lock_guard lock(s.lock);
  for (const int rights : {PROT_READ, PROT_NONE})  // a page that is written and read is closed
    protect_all(s, rights, [&](const PendingUse& p) { return rights_of(p) == rights; });
  s.closed = true;
  ++s.changes;
}

void add_pending(const PendingUse& use) {
  const std::lock_guard lock(state().lock);
  auto& pending = state().pending;
  if (pending.size() < kMostPending)
    pending.insert_or_assign({use.use.begin, use.use.end, use.stream, use.use.kind}, use);
}

void drop_pending(const std::function<bool(const PendingUse&)>& ended) {
  State& s = state();
  if (s.pending.empty()) return;
  const bool was_closed = s.closed;
  open_pages();
  {
    const std::lock_guard lock(s.lock);
    std::erase_if(s.pending, [&](const auto& entry) { return ended(entry.second); });
  }
  if (was_closed) close_pages();
}

bool any_touches() { return state().touch_count != 0; }

std::vector<PageTouch> take_touches() {
  State& s = state();
  const std::lock_guard lock(s.lock);
  std::vector<PageTouch> taken(s.touches.begin(), s.touches.begin() + static_cast<ptrdiff_t>(s.touch_count));
  s.touch_count = 0;
  return taken;
}

}  // namespace lockstep::runtime
