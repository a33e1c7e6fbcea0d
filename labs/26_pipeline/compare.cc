// compare: the most frequent words of a file, counted on all cores of the CPU by TBB, and the time from the file in the
// page cache to the result. Linked with a file that defines top_words, it also runs that, in turn, and compares.
//
// Usage: compare FILE [ROUNDS]         prints the words, the times and their ratio
//        compare --text FILE BYTES     writes a text of made-up words, as frequent as the words of a language
//        compare --check               tests the CPU's words against a plain loop
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/contracts/words.h"

__attribute__((weak)) decltype(top_words) top_words;  // null where the program is built without it

namespace {

using Byte = unsigned char;

// The small letter of each byte; 0 for what is not a letter.
struct SmallLetters {
  Byte of[256]{};
  constexpr SmallLetters() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = static_cast<Byte>(c);
    for (int c = 128; c < 256; ++c) of[c] = static_cast<Byte>(c);
  }
};
constexpr SmallLetters kSmall;

struct Found {
  uint64_t hash, first;
  unsigned length, count;
};

bool better(const Found& a, const Found& b) { return a.count != b.count ? a.count > b.count : a.first < b.first; }

// A bijection of 64 bits.
uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 32) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 32) * 0x9e3779b97f4a7c15;
  return x ^ x >> 32;
}

uint64_t small_eight(uint64_t letters) { return letters | (~letters & 0x8080808080808080) >> 2; }

// Words of up to eight letters are equal if their hashes are. Of these, eight bytes are read. Never zero.
uint64_t hash_of(const Byte* word, unsigned length) {
  uint64_t eight, sum = 0;
  if (length <= 8) {
    std::memcpy(&eight, word, 8);
    return mixed(small_eight(eight) & ~uint64_t{0} >> (64 - 8 * length));
  }
  for (unsigned i = 0; i + 8 < length; i += 8) {
    std::memcpy(&eight, word + i, 8);
    sum = mixed(sum + small_eight(eight));
  }
  std::memcpy(&eight, word + length - 8, 8);
  const uint64_t hash = mixed(sum + small_eight(eight) + length);
  return hash != 0 ? hash : 1;
}

bool same_letters(const Byte* text, size_t a, size_t b, unsigned length) {
  for (unsigned i = 0; i < length; ++i)
    if (kSmall.of[text[a + i]] != kSmall.of[text[b + i]]) return false;
  return true;
}

// A bit for each of 64 bytes. The compiler makes vectors of the inner loop.
uint64_t letter_bits(const Byte* bytes) {
  uint64_t bits = 0;
  for (int part = 0; part < 64; part += 8) {
    Byte is_letter[8];
    for (int i = 0; i < 8; ++i) {
      const Byte c = bytes[part + i];
      is_letter[i] = (c >= 128) | (static_cast<Byte>((c | 32) - 'a') < 26);
    }
    uint64_t eight;
    std::memcpy(&eight, is_letter, 8);
    bits |= (eight * 0x0102040810204080 >> 56) << part;
  }
  return bits;
}

// Calls word(first, length) for each word that begins in [from, to).
template <class OnWord>
void for_each_word(const Byte* text, size_t from, size_t to, size_t bytes, OnWord word) {
  constexpr size_t kNone = ~size_t{0};
  bool inside = from > 0 && kSmall.of[text[from - 1]] != 0;  // then the word is not ours
  size_t first = kNone, i = from;
  for (; i + 64 <= to; i += 64) {
    const uint64_t letters = letter_bits(text + i);
    for (uint64_t changes = letters ^ (letters << 1 | inside); changes != 0; changes &= changes - 1) {
      const size_t at = i + std::countr_zero(changes);
      if (letters >> (at - i) & 1)
        first = at;
      else if (first != kNone)
        word(first, static_cast<unsigned>(at - first)), first = kNone;
    }
    inside = letters >> 63;
  }
  for (; i < bytes && (i < to || first != kNone); ++i) {
    const bool letter = kSmall.of[text[i]] != 0;
    if (letter && !inside) first = i;
    if (!letter && first != kNone) word(first, static_cast<unsigned>(i - first)), first = kNone;
    inside = letter;
  }
  if (first != kNone) word(first, static_cast<unsigned>(i - first));
}

// Large pages spare most of the misses of the page tables.
template <class T>
class Pages {
 public:
  explicit Pages(size_t n) : bytes_((n * sizeof(T) + kPage - 1) / kPage * kPage) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) std::perror("mmap"), std::exit(1);
    madvise(data_, bytes_, MADV_HUGEPAGE);
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  T& operator[](size_t i) const { return static_cast<T*>(data_)[i]; }

 private:
  static constexpr size_t kPage = size_t{2} << 20;
  size_t bytes_;
  void* data_;
};

// One table for all threads, as on the device. The thread that sets a slot's hash then says where the word is.
struct Slot {
  std::atomic<uint64_t> hash, place;  // place: 2 · (first + 1), and 1 more for a word of more than eight letters
  std::atomic<unsigned> count;
};

class Table {
 public:
  Table(const Byte* text, size_t bytes, size_t slots) : text_(text), bytes_(bytes), slots_(slots), all_(slots) {}
  size_t slots() const { return slots_; }
  const Slot& operator[](size_t i) const { return all_[i]; }
  void prefetch(uint64_t hash) const { __builtin_prefetch(&all_[hash & (slots_ - 1)], 1); }

  // False if the table is too full.
  bool add(const Found& word) const {
    const uint64_t place = 2 * (word.first + 1) + (word.length > 8);
    for (size_t probe = 0; probe < kProbes; ++probe) {
      Slot& slot = all_[(word.hash + probe) & (slots_ - 1)];
      uint64_t hash = slot.hash.load(std::memory_order_relaxed), there = 0;
      if (hash == 0 && slot.hash.compare_exchange_strong(hash, word.hash)) {
        slot.place.store(place, std::memory_order_release);
      } else {
        if (hash != word.hash) continue;
        while ((there = slot.place.load(std::memory_order_acquire)) == 0) {  // for a moment, until the owner says it
        }
        if (!is_same(word, there)) continue;
        while (place < there && !slot.place.compare_exchange_weak(there, place)) {}
      }
      slot.count.fetch_add(word.count, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

 private:
  static constexpr size_t kProbes = 128;

  bool is_same(const Found& word, uint64_t place) const {
    const size_t other = place / 2 - 1, end = other + word.length;
    if (place % 2 != (word.length > 8)) return false;
    if (word.length <= 8) return true;
    return end <= bytes_ && same_letters(text_, other, word.first, word.length) &&
           (end == bytes_ || kSmall.of[text_[end]] == 0);
  }

  const Byte* text_;
  size_t bytes_, slots_;
  Pages<Slot> all_;
};

// A thread's frequent words, in its own cache; and the others, which wait here until the processor has fetched their
// slots of the table.
class Worker {
 public:
  explicit Worker(const Byte* text) : text_(text), cached_(kCached) {}

  bool add(const Table& table, const Found& word) {
    for (size_t probe = 0; probe < kCacheProbes; ++probe) {
      Found& at = cached_[(word.hash + probe) & (kCached - 1)];
      if (at.count == 0) return at = word, true;
      if (at.hash != word.hash || at.length != word.length) continue;
      if (word.length > 8 && !same_letters(text_, at.first, word.first, word.length)) continue;
      at.first = std::min(at.first, word.first);
      return ++at.count, true;
    }
    table.prefetch(word.hash);
    Found& oldest = waiting_[next_++ % kWaiting];
    const bool fits = oldest.count == 0 || table.add(oldest);
    oldest = word;
    return fits;
  }
  bool flush(const Table& table) {
    bool fits = true;
    for (const Found& word : waiting_) fits &= word.count == 0 || table.add(word);
    for (const Found& word : cached_) fits &= word.count == 0 || table.add(word);
    return fits;
  }

 private:
  static constexpr size_t kCached = size_t{1} << 15, kCacheProbes = 2, kWaiting = 16;
  const Byte* text_;
  std::vector<Found> cached_;
  Found waiting_[kWaiting]{};
  size_t next_ = 0;
};

bool count_all(const Byte* text, size_t bytes, const Table& table) {
  std::atomic<bool> fits = true;
  tbb::enumerable_thread_specific<Worker> workers(text);
  tbb::parallel_for(tbb::blocked_range<size_t>(0, bytes, size_t{1} << 18), [&](const auto& range) {
    Worker& worker = workers.local();
    bool mine = true;
    for_each_word(text, range.begin(), range.end(), bytes, [&](size_t first, unsigned length) {
      Byte end[8]{};  // a copy of the last word, so that nothing behind the text is read
      const bool near = bytes - first < 8;
      if (near) std::memcpy(end, text + first, length);
      const uint64_t hash = hash_of(near ? end : text + first, length);
      mine &= worker.add(table, {hash, first, length, 1});
    });
    if (!mine) fits = false;
  });
  tbb::parallel_for(size_t{0}, workers.size(), [&](size_t i) {
    if (!(workers.begin() + static_cast<ptrdiff_t>(i))->flush(table)) fits = false;
  });
  return fits;
}

// The best words of a table. Their length is found in the text.
std::vector<Found> best_of(const Table& table) {
  constexpr size_t kParts = 512;
  std::vector<std::vector<Found>> bests(kParts);
  tbb::parallel_for(size_t{0}, kParts, [&](size_t part) {
    std::vector<Found>& best = bests[part];
    for (size_t i = table.slots() * part / kParts; i < table.slots() * (part + 1) / kParts; ++i) {
      const unsigned count = table[i].count.load(std::memory_order_relaxed);
      if (count == 0 || (best.size() == kTopWords && count < best.back().count)) continue;
      const Found word{0, table[i].place.load(std::memory_order_relaxed) / 2 - 1, 0, count};
      best.insert(std::upper_bound(best.begin(), best.end(), word, better), word);
      if (best.size() > kTopWords) best.pop_back();
    }
  });
  std::vector<Found> all;
  for (const std::vector<Found>& best : bests) all.insert(all.end(), best.begin(), best.end());
  std::sort(all.begin(), all.end(), better);
  if (all.size() > kTopWords) all.resize(kTopWords);
  return all;
}

int top_words_of_cpu(const char* chars, size_t bytes, WordCount* top) {
  const auto* text = reinterpret_cast<const Byte*>(chars);
  for (size_t slots = std::bit_ceil(bytes / 64 + 1024);; slots *= 8) {
    const Table table(text, bytes, slots);
    if (!count_all(text, bytes, table)) continue;
    const std::vector<Found> best = best_of(table);
    for (size_t i = 0; i < best.size(); ++i) {
      size_t end = best[i].first;
      while (end < bytes && kSmall.of[text[end]] != 0) ++end;
      top[i] = {best[i].first, static_cast<unsigned>(end - best[i].first), best[i].count};
    }
    return static_cast<int>(best.size());
  }
}

// ---- The plain loop, for --check.
int top_words_plain(const char* text, size_t bytes, WordCount* top) {
  std::map<std::string, WordCount> all;
  const auto small = [&](size_t i) { return static_cast<char>(kSmall.of[static_cast<Byte>(text[i])]); };
  for (size_t i = 0; i < bytes; ++i) {
    std::string word;
    for (; i < bytes && small(i) != 0; ++i) word += small(i);
    if (word.empty()) continue;
    WordCount& at =
        all.try_emplace(word, WordCount{i - word.size(), static_cast<unsigned>(word.size()), 0}).first->second;
    ++at.count;
  }
  std::vector<WordCount> words;
  for (const auto& [word, count] : all) words.push_back(count);
  std::sort(words.begin(), words.end(), [](const WordCount& a, const WordCount& b) {
    return a.count != b.count ? a.count > b.count : a.first < b.first;
  });
  const size_t n = std::min<size_t>(words.size(), kTopWords);
  std::copy_n(words.begin(), n, top);
  return static_cast<int>(n);
}

bool agree(const WordCount* a, int of_a, const WordCount* b, int of_b) {
  return of_a == of_b && std::equal(a, a + of_a, b, [](const WordCount& one, const WordCount& other) {
           return one.first == other.first && one.length == other.length && one.count == other.count;
         });
}

// ---- Made-up words. The r-th most frequent one comes with a probability of nearly 1/r, as in a language, and is
// longer, the rarer it is.
class Writer {
 public:
  explicit Writer(size_t different) : words_(different), upto_(different) {
    double sum = 0;
    for (size_t r = 0; r < words_.size(); ++r) {
      std::mt19937 random(static_cast<unsigned>(r));
      const double length = 1.6 + 0.62 * std::log(r + 2.0) + std::normal_distribution<>(0, 1.3)(random);
      for (int i = std::clamp(static_cast<int>(std::lround(length)), 1, 24); i > 0; --i)
        words_[r] += "eeettaaoinshrdlcumwfgypbvkjxqz"[random() % 30];
      if (r % 40 == 7) words_[r] += "\xc3\xa9";  // a letter of two bytes
      upto_[r] = sum += 1 / (r + 2.7);
    }
  }
  std::string text(size_t bytes, unsigned seed) const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<> anywhere(0, upto_.back());
    std::string text;
    bool begins = true;
    while (text.size() < bytes) {
      const size_t r = std::lower_bound(upto_.begin(), upto_.end(), anywhere(random)) - upto_.begin();
      const size_t at = text.size();
      text += words_[std::min(r, words_.size() - 1)];
      if (begins && text[at] >= 'a') text[at] = static_cast<char>(text[at] - 'a' + 'A');
      begins = random() % 16 == 0;
      text += begins ? ".\n" : random() % 12 == 0 ? ", " : " ";
    }
    text.resize(bytes);
    return text;
  }

 private:
  std::vector<std::string> words_;
  std::vector<double> upto_;  // the sum of the probabilities, not yet divided by their sum
};

int write_text(const char* path, size_t bytes) {
  constexpr size_t kPart = size_t{1} << 20;
  const Writer writer(size_t{1} << 21);
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return std::perror(path), 1;
  const size_t parts = (bytes + kPart - 1) / kPart;
  for (size_t first = 0; first < parts; first += 64) {  // 64 MiB at a time
    std::vector<std::string> text(std::min<size_t>(64, parts - first));
    tbb::parallel_for(size_t{0}, text.size(), [&](size_t i) {
      text[i] = writer.text(std::min(kPart, bytes - (first + i) * kPart), static_cast<unsigned>(first + i));
    });
    for (const std::string& part : text) std::fwrite(part.data(), 1, part.size(), file);
  }
  return std::fclose(file) == 0 ? 0 : (std::perror(path), 1);
}

int check() {
  std::mt19937 random(7);
  std::vector<std::string> texts{"", "a", "The the THE tHe a b. A", Writer(5000).text(300'000, 1)};
  for (const size_t n : {1u, 63u, 64u, 65u, 1000u, 300'000u}) {
    for (const std::string letters : {"ab ", "aAbBcC ", "abcdefghijklmnop\xc3\xa9.", "x"}) {
      std::string text(n, ' ');
      for (char& c : text) c = letters[random() % letters.size()];
      texts.push_back(text);
    }
  }
  for (const std::string& text : texts) {
    WordCount plain[kTopWords], parallel[kTopWords];
    const int want = top_words_plain(text.data(), text.size(), plain);
    const int got = top_words_of_cpu(text.data(), text.size(), parallel);
    if (agree(plain, want, parallel, got)) continue;
    std::fprintf(stderr, "%zu bytes that begin with '%.20s': the words differ from the plain loop's\n", text.size(),
                 text.c_str());
    return 1;
  }
  std::printf("The words of %zu texts are those of the plain loop.\n", texts.size());
  return 0;
}

// ---- The comparison.

// The file as it lies in the page cache.
class Mapped {
 public:
  explicit Mapped(const char* path) {
    const int file = open(path, O_RDONLY);
    struct stat facts {};
    if (file < 0 || fstat(file, &facts) != 0) std::perror(path), std::exit(1);
    bytes_ = static_cast<size_t>(facts.st_size);
    if (bytes_ > 0) data_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    if (data_ == MAP_FAILED) std::perror(path), std::exit(1);
    close(file);
  }
  ~Mapped() {
    if (bytes_ > 0) munmap(data_, bytes_);
  }
  Mapped(const Mapped&) = delete;
  const char* text() const { return static_cast<const char*>(data_); }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

struct Side {
  const char* name;
  decltype(&::top_words) run;
  WordCount top[kTopWords] = {};
  int words = 0;
  std::vector<double> ms = {};
};

// From the file in the page cache to the words: mapping the file is a part of the work.
void run(Side& side, const char* path) {
  const auto start = std::chrono::steady_clock::now();
  {
    const Mapped file(path);
    side.words = side.run(file.text(), file.bytes(), side.top);
  }
  side.ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

double quartile(std::vector<double> values, int of_four) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * of_four / 4];
}

int compare(const char* path, int rounds) {
  std::vector<Side> sides{{"CPU (TBB)", top_words_of_cpu}};
  if (top_words != nullptr) sides.push_back({"device", top_words});
  for (int round = 0; round <= rounds; ++round)  // round 0 starts threads, and the device
    for (Side& side : sides) run(side, path);
  const Mapped file(path);
  std::printf("count,word\n");
  for (int i = 0; i < sides[0].words; ++i) {
    const WordCount& word = sides[0].top[i];
    std::printf("%u,%.*s\n", word.count, static_cast<int>(word.length), file.text() + word.first);
  }
  std::vector<double> ratio;
  std::printf("\nside,bytes,threads,rounds,first_ms,min_ms,q1_ms,median_ms,q3_ms,max_ms,gb_s\n");
  for (const Side& side : sides) {
    const std::vector<double> ms(side.ms.begin() + 1, side.ms.end());
    std::printf("%s,%zu,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", side.name, file.bytes(),
                tbb::info::default_concurrency(), rounds, side.ms[0], quartile(ms, 0), quartile(ms, 1), quartile(ms, 2),
                quartile(ms, 3), quartile(ms, 4), static_cast<double>(file.bytes()) / quartile(ms, 2) / 1e6);
  }
  if (sides.size() == 1) return 0;
  for (int i = 1; i <= rounds; ++i) ratio.push_back(sides[0].ms[i] / sides[1].ms[i]);
  std::printf("\nratio of each round: median %.2f, from %.2f to %.2f\n", quartile(ratio, 2), quartile(ratio, 0),
              quartile(ratio, 4));
  if (agree(sides[0].top, sides[0].words, sides[1].top, sides[1].words)) return 0;
  std::fprintf(stderr, "the device's words differ\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (argc == 2 && first == "--check") return check();
  if (argc == 4 && first == "--text") return write_text(argv[2], std::strtoull(argv[3], nullptr, 0));
  const int rounds = argc == 3 ? std::atoi(argv[2]) : 5;
  if (argc < 2 || argc > 3 || rounds < 1 || first.starts_with("-")) {
    std::fprintf(stderr, "usage: %s FILE [ROUNDS] | --text FILE BYTES | --check\n", argv[0]);
    return 2;
  }
  return compare(argv[1], rounds);
}
