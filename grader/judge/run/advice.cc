#include "grader/judge/run/advice.h"

#include <bit>

namespace warpladder {
namespace {

bool is(const std::optional<Fact>& fact, std::string_view name) { return fact && fact->name == name; }

// A function of the CPU has a loop where a kernel has threads.
bool is_cpu(const Case& job) { return job.entry->name.ends_with("_cpu"); }
std::string worker(const Case& job) { return is_cpu(job) ? "turn of the loop" : "thread"; }

Advice nothing_stored(const Case& job) {
  if (is_cpu(job)) return {"store", "Store each result: write to out[i] for every i below n."};
  if (job.entry->name.ends_with("_opencl"))
    return {"copy_back", "Read the result back into out, and wait until it is there: enqueueReadBuffer with CL_TRUE."};
  if (job.entry->on_host)
    return {"copy_back", "Copy the result back into the host's array: read it from the device after the kernel."};
  return {"store",
          "Let a kernel store its results there: follow the pointer from the function to the line that stores."};
}

// The cases ascend, so n is the smallest size that fails.
std::string from_the_first(const Fact& zero) { return "data[" + zero.arguments.at("first") + "]"; }

Advice for_sum(const Mismatch& wrong, const Case& job) {
  const std::string n = std::to_string(job.n), last = "data[" + std::to_string(job.n - 1) + "]";
  const std::string blocks = job.block == 0 ? "" : " in blocks of " + std::to_string(job.block);
  if (is(wrong.value, "sum_zero"))
    return {"sum_zero", "Follow " + from_the_first(*wrong.value) + blocks +
                            ": which line adds it, where is the sum stored, and which copy brings it to the host?"};
  if (is(wrong.value, "sum_nan"))
    return {"nan", "A NaN comes from memory that nothing has written: which load reads beyond the end of an array?"};
  if (is(wrong.value, "sum_rounded")) {
    const std::string& types = job.entry->elements;
    return {"sum_rounded", "Add in " + types.substr(0, types.size() - 1) +
                               ": a float holds integers only up to 2^24, and rounds above."};
  }
  if (is(wrong.value, "sum_twice") || is(wrong.value, "sum_more"))
    return {"added_twice",
            "Look for an element that two threads add" + blocks + ", or that is added again in the next step."};
  if (is(wrong.value, "sum_first"))
    return {"sum_first", "Follow data[" + wrong.value->arguments.at("count") + "], the first element that is missing" +
                             blocks + ": which block should load it, and is its sum added?"};
  if (job.n == 1) return {"one_element", "Follow data[0] from the line that loads it to the returned sum."};
  if (std::has_single_bit(job.n))
    return {"last_step", "Count the steps of the tree" + blocks + ": " + n + " elements need " +
                             std::to_string(std::bit_width(job.n) - 1) + ". Which step is missing or does too little?"};
  if (job.n > 32 && std::has_single_bit(job.n - 1))
    return {"beyond_power", "Follow " + last + blocks + ", the first element after " + std::to_string(job.n - 1) +
                                " others: which thread loads it, and which thread adds what this one has?"};
  return {"without_partner", n + " is not a power of two, so some elements have no partner. Follow " + last + blocks +
                                 ": is its partner inside the array, and is it added?"};
}

Advice for_counts(const Mismatch& wrong, const Case& job) {
  if (!is(wrong.value, "counted"))
    return {"zero_first", "Set all 256 bins to 0 before the count: cudaMemset, or a kernel."};
  const double counted = std::stod(wrong.value->arguments.at("counted"));
  const auto n = static_cast<double>(job.n);
  if (counted == 0)
    return {"none_counted", "Follow data[0]: which thread counts it, where, and how does this count reach bins?"};
  if (counted < n)
    return {"not_counted", "Follow data[" + std::to_string(job.n - 1) +
                               "], the last byte: which thread or turn of a loop counts it? Can two threads' counts "
                               "meet, or are the counts read too early?"};
  if (counted > n)
    return {"counted_again", "Some bytes are counted twice: which two threads or turns of a loop take the same index?"};
  return {"wrong_bin", "All bytes are counted, but some in a wrong bin: how is the bin's index made from the byte?"};
}

// For the most frequent words, by what the first wrong one shows.
std::optional<Advice> for_words(const Mismatch& wrong) {
  if (is(wrong.value, "word_cut"))
    return Advice{"word_cut",
                  "This is a part of a word: which bytes are letters, also from 128 on, and what lies "
                  "before the first byte of a warp or of a chunk?"};
  if (is(wrong.value, "word_twice"))
    return Advice{"word_twice",
                  "Two slots hold the same word: are capital and small letters equal where it is hashed "
                  "and where it is compared, and can two threads take two slots for it?"};
  if (is(wrong.value, "word_missing"))
    return Advice{"word_missing",
                  "A word of the text was not found: who looks at the place where the last word of a "
                  "warp, of a chunk or of the text ends?"};
  if (is(wrong.value, "other_word"))
    return Advice{"other_word",
                  "A frequent word is missing, and rarer ones are there: where is its count lost? Is the "
                  "table full when the word comes, and who asks?"};
  if (is(wrong.value, "counted_less"))
    return Advice{"counted_less", "Follow " + wrong.where +
                                      ": which occurrences are lost, at a border, in a full "
                                      "table, or in a cache that nobody adds to the table?"};
  if (is(wrong.value, "counted_more"))
    return Advice{"counted_more", "Follow " + wrong.where +
                                      ": which occurrence do two threads count, or one of them "
                                      "twice?"};
  if (is(wrong.value, "other_order"))
    return Advice{"word_order",
                  "Larger counts come first. Of equal counts the word comes first that occurs first: "
                  "compare the places, and nothing else."};
  return std::nullopt;
}

// For a selection, by what the answer has in common with the input.
std::optional<Advice> for_selection(const Mismatch& wrong, const Case& job) {
  if (wrong.where == "*count" && job.n == 0)
    return Advice{"count_of_none", "With 0 elements *count must become 0 too: which line stores it before the return?"};
  if (wrong.where == "*count")
    return Advice{"count",
                  "*count is the number of all selected elements: which block knows it, and does it add what "
                  "all tiles before it have selected?"};
  if (is(wrong.value, "other_order"))
    return Advice{"selected_order",
                  "The place of an element is the number of selected elements before it in memory. "
                  "Which ones come before " +
                      wrong.where + ", and is each of them counted?"};
  if (is(wrong.value, "behind_count"))
    return Advice{"behind_count", "Store nothing behind the selected elements: how many does the last store take?"};
  return std::nullopt;
}

// For a sort in the same way.
std::optional<Advice> for_sorting(const Mismatch& wrong) {
  if (is(wrong.value, "not_stable"))
    return Advice{"not_stable",
                  "Elements with equal digits keep their order. The place of an element counts the equal "
                  "ones before it: in lower lanes, in earlier rows and warps, in earlier tiles."};
  if (is(wrong.value, "input_order") && wrong.where.starts_with("values"))
    return Advice{"values_order",
                  "Each value goes where its key goes: which line stores the values, and at which place?"};
  if (is(wrong.value, "input_order"))
    return Advice{"input_order", "Does a pass give each key a new place, and by which digit does the last pass sort?"};
  if (is(wrong.value, "other_order"))
    return Advice{"key_order", "Compare " + wrong.where +
                                   " with the key that should stand there. In which digit do they "
                                   "differ first, from the top: does the pass by this digit have its own counts?"};
  if (is(wrong.value, "not_the_input"))
    return Advice{"same_place",
                  "Two keys have taken the same place, and one is lost: which counts make up the place, "
                  "and is each of them complete when it is read?"};
  return std::nullopt;
}

// For a scan and a saxpy by what the wrong elements hold.
std::optional<Advice> for_value(const Mismatch& wrong, const Case& job) {
  const std::string element = wrong.where;
  if (is(wrong.value, "nothing_stored")) return nothing_stored(job);
  if (is(wrong.value, "kept"))
    return Advice{"not_stored", "No " + worker(job) + " stores " + element +
                                    ". Does the launch have a thread for it, and does that thread reach the store?"};
  if (is(wrong.value, "next"))
    return Advice{"shifted",
                  "The output is one place too far to the left: in an exclusive scan out[i] does not contain in[i]."};
  if (is(wrong.value, "before"))
    return Advice{"shifted",
                  "The output is one place too far to the right: in an inclusive scan out[i] contains in[i]."};
  if (is(wrong.value, "starts_anew") && wrong.first == 1)
    return Advice{"first_neighbour",
                  "Add in[0] to out[1]: which " + worker(job) + " should do it, and does its `if` let it?"};
  if (is(wrong.value, "starts_anew"))
    return Advice{
        "carry", "Add the sum of everything before " + element + " to it: what comes from the part before is missing."};
  if (is(wrong.value, "input"))
    return Advice{"not_added", "Nothing was added to " + element + ": which line adds the element before it?"};
  if (is(wrong.value, "fraction"))
    return Advice{"fraction", "A fraction was lost on the way: is a float kept in an int somewhere?"};
  if (is(wrong.value, "nan"))
    return Advice{"nan", "A NaN comes from memory that nothing has written: which operand of " + element + " is it?"};
  return std::nullopt;
}

// The first output tells the two kinds of a scan apart. A saxpy has no elements before.
std::optional<Advice> for_kind(const Mismatch& wrong, const Case& job) {
  const bool is_exclusive = job.entry->name.find("_exclusive") != std::string::npos;
  const bool is_inclusive = job.entry->name.find("_inclusive") != std::string::npos;
  if (is_exclusive && wrong.first == 0 && wrong.want == "0" && job.n == 1)
    return Advice{"exclusive",
                  "In an exclusive scan out[0] is 0: out[i] has the elements before in[i], and not in[i] itself. Which "
                  "line sets this 0, and which lines bring it to out[0]?"};
  if (is_inclusive && wrong.first == 0 && wrong.got == "0")
    return Advice{"inclusive", "In an inclusive scan out[0] is in[0]: out[i] has all elements up to in[i] itself."};
  return std::nullopt;
}

// By where the wrong elements lie.
std::optional<Advice> for_place(const Mismatch& wrong, const Case& job) {
  const std::string element = wrong.where, before = std::to_string(wrong.first);
  if (wrong.wrong > 1 && (is(wrong.value, "too_small") || is(wrong.value, "too_large")))
    return Advice{"constant",
                  "The difference is the same everywhere: which part of the input has this sum, and is it " +
                      std::string(is(wrong.value, "too_small") ? "left out?" : "added twice?")};
  if (is(wrong.place, "every"))
    return Advice{"every", "One element in " + wrong.place->arguments.at("step") +
                               " is wrong: what do these have in common " + "that " + worker(job) +
                               "s of the others do not?"};
  if (is(wrong.place, "from") || is(wrong.place, "last")) {
    const std::string begin =
        wrong.first == 1 ? "The first element is right. " : "The first " + before + " elements are right. ";
    if (is_cpu(job)) return Advice{"from", begin + "What has the loop added when it stores " + element + "?"};
    return Advice{"from", begin + "What begins at " + element + ": a warp, a block, a tile, a further step?"};
  }
  if (is(wrong.place, "only"))
    return Advice{"only",
                  "Only " + element + " is wrong: what is special about this place, the first or last of its part?"};
  if (is(wrong.place, "all") && !std::has_single_bit(job.n))
    return Advice{"not_power", std::to_string(job.n) +
                                   " is not a power of two: what stands behind the last element while " +
                                   "the steps run, and which element needs it?"};
  if (wrong.of == 1 && job.entry->name.find("scan") == std::string::npos)
    return Advice{"one_element",
                  "Follow out[0] back from the store: which thread computes it, by which line, and from which inputs?"};
  if (wrong.of == 1)
    return Advice{"one_element", "There is one element, and nothing to add to it: what else goes into out[0]?"};
  if (is(wrong.place, "range") || is(wrong.place, "all"))
    return Advice{"first_wrong",
                  "Follow " + element + ": which " + worker(job) + " stores it, and what has it added until then?"};
  return std::nullopt;
}

}  // namespace

std::optional<Advice> advice_on_copies(const Mismatch& wrong, const Case& job, size_t bytes) {
  const size_t out = job.entry->out_bytes_per_element;
  const size_t result = out > 0 ? out : job.entry->element_bytes;  // bytes of what comes to the host
  const bool is_sum = wrong.where == "the returned sum";
  if (is_sum && bytes == 0)
    return Advice{"copy_back",
                  "Nothing came from the device to the host during the call: copy the sums of the blocks into the "
                  "host's memory before the host adds them."};
  if ((is_sum || job.entry->on_host) && bytes % result != 0)
    return Advice{"copy_bytes", "Only " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
                                    " came from the device to the host, and an element has " + std::to_string(result) +
                                    ": cudaMemcpy counts bytes, so multiply by sizeof."};
  return std::nullopt;
}

Advice advice_for(const Mismatch& wrong, const Case& job) {
  if (wrong.where == "the returned milliseconds")
    return {
        "events",
        "Look at the two events: is one recorded before the launch, one after it, and the time between them taken?"};
  if (wrong.where == "the returned sum") return for_sum(wrong, job);
  if (wrong.where.starts_with("bins")) return for_counts(wrong, job);
  if (job.entry->name == "top_words")
    if (auto advice = for_words(wrong)) return *advice;
  if (job.entry->name.starts_with("select_"))
    if (auto advice = for_selection(wrong, job)) return *advice;
  if (job.entry->name.starts_with("sort_"))
    if (auto advice = for_sorting(wrong)) return *advice;
  if (auto advice = for_value(wrong, job)) return *advice;
  if (auto advice = for_kind(wrong, job)) return *advice;
  if (auto advice = for_place(wrong, job)) return *advice;
  return {"by_hand", "Work " + wrong.where + " out by hand, from the table above: which " + worker(job) +
                         " stores it, and which elements has it added?"};
}

}  // namespace warpladder
