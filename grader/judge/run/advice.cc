#include "grader/judge/run/advice.h"

#include <bit>

namespace warpladder {
namespace {

bool is(const std::optional<Fact>& fact, std::string_view name) { return fact && fact->name == name; }

// A function of the CPU has a loop where a kernel has threads.
bool is_cpu(const Case& job) { return job.entry->name.ends_with("_cpu"); }
Message worker(const Case& job) { return is_cpu(job) ? message("turn of the loop") : message("thread"); }

Advice nothing_stored(const Case& job) {
  if (is_cpu(job)) return {"store", message("Store each result: write to out[i] for every i below n.")};
  if (job.entry->name.ends_with("_opencl"))
    return {"copy_back",
            message("Read the result back into out, and wait until it is there: enqueueReadBuffer with CL_TRUE.")};
  if (job.entry->on_host)
    return {"copy_back",
            message("Copy the result back into the host's array: read it from the device after the kernel.")};
  return {
      "store",
      message("Let a kernel store its results there: follow the pointer from the function to the line that stores.")};
}

// The cases ascend, so n is the smallest size that fails.
std::string from_the_first(const Fact& zero) { return "data[" + zero.arguments.at("first") + "]"; }

Advice for_sum(const Mismatch& wrong, const Case& job) {
  const std::string last = "data[" + std::to_string(job.n - 1) + "]";
  const Message blocks = job.block == 0 ? Message() : message(" in blocks of {block}", {{"block", job.block}});
  if (is(wrong.value, "sum_zero"))
    return {"sum_zero", message("Follow {element}{blocks}: which line adds it, where is the sum stored, and which copy "
                                "brings it to the host?",
                                {{"element", from_the_first(*wrong.value)}, {"blocks", blocks}})};
  if (is(wrong.value, "sum_nan"))
    return {"nan",
            message("A NaN comes from memory that nothing has written: which load reads beyond the end of an array?")};
  if (is(wrong.value, "sum_rounded")) {
    const std::string& types = job.entry->elements;
    return {"sum_rounded", message("Add in {type}: a float holds integers only up to 2^24, and rounds above.",
                                   {{"type", types.substr(0, types.size() - 1)}})};
  }
  if (is(wrong.value, "sum_twice") || is(wrong.value, "sum_more"))
    return {"added_twice",
            message("Look for an element that two threads add{blocks}, or that is added again in the next step.",
                    {{"blocks", blocks}})};
  if (is(wrong.value, "sum_first"))
    return {"sum_first",
            message("Follow {element}, the first element that is missing{blocks}: which block should load "
                    "it, and is its sum added?",
                    {{"element", "data[" + wrong.value->arguments.at("count") + "]"}, {"blocks", blocks}})};
  if (job.n == 1) return {"one_element", message("Follow data[0] from the line that loads it to the returned sum.")};
  if (std::has_single_bit(job.n))
    return {"last_step",
            message("Count the steps of the tree{blocks}: {n} elements need {steps}. Which step is missing "
                    "or does too little?",
                    {{"blocks", blocks}, {"n", job.n}, {"steps", std::bit_width(job.n) - 1}})};
  if (job.n > 32 && std::has_single_bit(job.n - 1))
    return {"beyond_power", message("Follow {element}{blocks}, the first element after {count} others: which thread "
                                    "loads it, and which thread adds what this one has?",
                                    {{"element", last}, {"blocks", blocks}, {"count", job.n - 1}})};
  return {"without_partner", message("{n} is not a power of two, so some elements have no partner. Follow "
                                     "{element}{blocks}: is its partner inside the array, and is it added?",
                                     {{"n", job.n}, {"element", last}, {"blocks", blocks}})};
}

Advice for_counts(const Mismatch& wrong, const Case& job) {
  if (!is(wrong.value, "counted"))
    return {"zero_first", message("Set all 256 bins to 0 before the count: cudaMemset, or a kernel.")};
  const double counted = std::stod(wrong.value->arguments.at("counted"));
  const auto n = static_cast<double>(job.n);
  if (counted == 0)
    return {"none_counted",
            message("Follow data[0]: which thread counts it, where, and how does this count reach bins?")};
  if (counted < n)
    return {"not_counted", message("Follow {element}, the last byte: which thread or turn of a loop counts it? Can two "
                                   "threads' counts meet, or are the counts read too early?",
                                   {{"element", "data[" + std::to_string(job.n - 1) + "]"}})};
  if (counted > n)
    return {"counted_again",
            message("Some bytes are counted twice: which two threads or turns of a loop take the same index?")};
  return {"wrong_bin",
          message("All bytes are counted, but some in a wrong bin: how is the bin's index made from the byte?")};
}

// For the most frequent words, by what the first wrong one shows.
std::optional<Advice> for_words(const Mismatch& wrong) {
  if (is(wrong.value, "word_cut"))
    return Advice{"word_cut",
                  message("This is a part of a word: which bytes are letters, also from 128 on, and what lies "
                          "before the first byte of a warp or of a chunk?")};
  if (is(wrong.value, "word_twice"))
    return Advice{"word_twice",
                  message("Two slots hold the same word: are capital and small letters equal where it is hashed "
                          "and where it is compared, and can two threads take two slots for it?")};
  if (is(wrong.value, "word_missing"))
    return Advice{"word_missing",
                  message("A word of the text was not found: who looks at the place where the last word of a "
                          "warp, of a chunk or of the text ends?")};
  if (is(wrong.value, "other_word"))
    return Advice{"other_word",
                  message("A frequent word is missing, and rarer ones are there: where is its count lost? Is the "
                          "table full when the word comes, and who asks?")};
  if (is(wrong.value, "counted_less"))
    return Advice{"counted_less", message("Follow {element}: which occurrences are lost, at a border, in a full table, "
                                          "or in a cache that nobody adds to the table?",
                                          {{"element", wrong.where}})};
  if (is(wrong.value, "counted_more"))
    return Advice{"counted_more",
                  message("Follow {element}: which occurrence do two threads count, or one of them twice?",
                          {{"element", wrong.where}})};
  if (is(wrong.value, "other_order"))
    return Advice{"word_order",
                  message("Larger counts come first. Of equal counts the word comes first that occurs first: "
                          "compare the places, and nothing else.")};
  return std::nullopt;
}

// For a selection, by what the answer has in common with the input.
std::optional<Advice> for_selection(const Mismatch& wrong, const Case& job) {
  if (wrong.where == "*count" && job.n == 0)
    return Advice{"count_of_none",
                  message("With 0 elements *count must become 0 too: which line stores it before the return?")};
  if (wrong.where == "*count")
    return Advice{"count",
                  message("*count is the number of all selected elements: which block knows it, and does it add what "
                          "all tiles before it have selected?")};
  if (is(wrong.value, "other_order"))
    return Advice{"selected_order",
                  message("The place of an element is the number of selected elements before it in memory. Which ones "
                          "come before {element}, and is each of them counted?",
                          {{"element", wrong.where}})};
  if (is(wrong.value, "behind_count"))
    return Advice{"behind_count",
                  message("Store nothing behind the selected elements: how many does the last store take?")};
  return std::nullopt;
}

// For a sort in the same way.
std::optional<Advice> for_sorting(const Mismatch& wrong) {
  if (is(wrong.value, "not_stable"))
    return Advice{"not_stable",
                  message("Elements with equal digits keep their order. The place of an element counts the equal "
                          "ones before it: in lower lanes, in earlier rows and warps, in earlier tiles.")};
  if (is(wrong.value, "input_order") && wrong.where.text().starts_with("values"))
    return Advice{"values_order",
                  message("Each value goes where its key goes: which line stores the values, and at which place?")};
  if (is(wrong.value, "input_order"))
    return Advice{"input_order",
                  message("Does a pass give each key a new place, and by which digit does the last pass sort?")};
  if (is(wrong.value, "other_order"))
    return Advice{"key_order", message("Compare {element} with the key that should stand there. In which digit do they "
                                       "differ first, from the top: does the pass by this digit have its own counts?",
                                       {{"element", wrong.where}})};
  if (is(wrong.value, "not_the_input"))
    return Advice{"same_place",
                  message("Two keys have taken the same place, and one is lost: which counts make up the place, "
                          "and is each of them complete when it is read?")};
  return std::nullopt;
}

// For a scan and a saxpy by what the wrong elements hold.
std::optional<Advice> for_value(const Mismatch& wrong, const Case& job) {
  const Message::Arguments element = {{"element", wrong.where}, {"worker", worker(job)}};
  if (is(wrong.value, "nothing_stored")) return nothing_stored(job);
  if (is(wrong.value, "kept"))
    return Advice{"not_stored", message("No {worker} stores {element}. Does the launch have a thread for it, and does "
                                        "that thread reach the store?",
                                        element)};
  if (is(wrong.value, "next"))
    return Advice{
        "shifted",
        message("The output is one place too far to the left: in an exclusive scan out[i] does not contain in[i].")};
  if (is(wrong.value, "before"))
    return Advice{"shifted",
                  message("The output is one place too far to the right: in an inclusive scan out[i] contains in[i].")};
  if (is(wrong.value, "starts_anew") && wrong.first == 1)
    return Advice{"first_neighbour",
                  message("Add in[0] to out[1]: which {worker} should do it, and does its `if` let it?", element)};
  if (is(wrong.value, "starts_anew"))
    return Advice{"carry",
                  message("Add the sum of everything before {element} to it: what comes from the part before is "
                          "missing.",
                          element)};
  if (is(wrong.value, "input"))
    return Advice{"not_added",
                  message("Nothing was added to {element}: which line adds the element before it?", element)};
  if (is(wrong.value, "fraction"))
    return Advice{"fraction", message("A fraction was lost on the way: is a float kept in an int somewhere?")};
  if (is(wrong.value, "nan"))
    return Advice{
        "nan", message("A NaN comes from memory that nothing has written: which operand of {element} is it?", element)};
  return std::nullopt;
}

// The first output tells the two kinds of a scan apart. A saxpy has no elements before.
std::optional<Advice> for_kind(const Mismatch& wrong, const Case& job) {
  const bool is_exclusive = job.entry->name.find("_exclusive") != std::string::npos;
  const bool is_inclusive = job.entry->name.find("_inclusive") != std::string::npos;
  if (is_exclusive && wrong.first == 0 && wrong.want == "0" && job.n == 1)
    return Advice{
        "exclusive",
        message("In an exclusive scan out[0] is 0: out[i] has the elements before in[i], and not in[i] itself. Which "
                "line sets this 0, and which lines bring it to out[0]?")};
  if (is_inclusive && wrong.first == 0 && wrong.got == "0")
    return Advice{"inclusive",
                  message("In an inclusive scan out[0] is in[0]: out[i] has all elements up to in[i] itself.")};
  return std::nullopt;
}

// By where the wrong elements lie.
std::optional<Advice> for_place(const Mismatch& wrong, const Case& job) {
  const Message::Arguments element = {{"element", wrong.where}, {"worker", worker(job)}, {"count", wrong.first}};
  if (wrong.wrong > 1 && (is(wrong.value, "too_small") || is(wrong.value, "too_large")))
    return Advice{"constant", is(wrong.value, "too_small")
                                  ? message("The difference is the same everywhere: which part of the "
                                            "input has this sum, and is it left out?")
                                  : message("The difference is the same everywhere: which part of the "
                                            "input has this sum, and is it added twice?")};
  if (is(wrong.place, "every"))
    return Advice{"every", message("One element in {step} is wrong: what do these have in common that {workers} of the "
                                   "others do not?",
                                   {{"step", wrong.place->arguments.at("step")},
                                    {"workers", is_cpu(job) ? message("turns of the loop") : message("threads")}})};
  if (is(wrong.place, "from") || is(wrong.place, "last")) {
    Message begin = wrong.first == 1 ? message("The first element is right.")
                                     : message("The first {count} elements are right.", element);
    const Message what = is_cpu(job)
                             ? message("What has the loop added when it stores {element}?", element)
                             : message("What begins at {element}: a warp, a block, a tile, a further step?", element);
    return Advice{"from", message("{facts} {question}", {{"facts", begin}, {"question", what}})};
  }
  if (is(wrong.place, "only"))
    return Advice{
        "only",
        message("Only {element} is wrong: what is special about this place, the first or last of its part?", element)};
  if (is(wrong.place, "all") && !std::has_single_bit(job.n))
    return Advice{"not_power", message("{n} is not a power of two: what stands behind the last element while the steps "
                                       "run, and which element needs it?",
                                       {{"n", job.n}})};
  if (wrong.of == 1 && job.entry->name.find("scan") == std::string::npos)
    return Advice{
        "one_element",
        message("Follow out[0] back from the store: which thread computes it, by which line, and from which inputs?")};
  if (wrong.of == 1)
    return Advice{"one_element",
                  message("There is one element, and nothing to add to it: what else goes into out[0]?")};
  if (is(wrong.place, "range") || is(wrong.place, "all"))
    return Advice{"first_wrong",
                  message("Follow {element}: which {worker} stores it, and what has it added until then?", element)};
  return std::nullopt;
}

}  // namespace

std::optional<Advice> advice_on_copies(const Mismatch& wrong, const Case& job, size_t bytes) {
  const size_t out = job.entry->out_bytes_per_element;
  const size_t result = out > 0 ? out : job.entry->element_bytes;  // bytes of what comes to the host
  const bool is_sum = wrong.where == "the returned sum";
  if (is_sum && bytes == 0)
    return Advice{
        "copy_back",
        message("Nothing came from the device to the host during the call: copy the sums of the blocks into the "
                "host's memory before the host adds them.")};
  if ((is_sum || job.entry->on_host) && bytes % result != 0)
    return Advice{"copy_bytes",
                  message("Only {bytes} came from the device to the host, and an element has {size}: cudaMemcpy counts "
                          "bytes, so multiply by sizeof.",
                          {{"bytes", bytes == 1 ? message("1 byte") : message("{count} bytes", {{"count", bytes}})},
                           {"size", result}})};
  return std::nullopt;
}

Advice advice_for(const Mismatch& wrong, const Case& job) {
  if (wrong.where == "the returned milliseconds")
    return {"events", message("Look at the two events: is one recorded before the launch, one after it, and the time "
                              "between them taken?")};
  if (wrong.where == "the returned sum") return for_sum(wrong, job);
  if (wrong.where.text().starts_with("bins")) return for_counts(wrong, job);
  if (job.entry->name == "top_words")
    if (auto advice = for_words(wrong)) return *advice;
  if (job.entry->name.starts_with("select_"))
    if (auto advice = for_selection(wrong, job)) return *advice;
  if (job.entry->name.starts_with("sort_"))
    if (auto advice = for_sorting(wrong)) return *advice;
  if (auto advice = for_value(wrong, job)) return *advice;
  if (auto advice = for_kind(wrong, job)) return *advice;
  if (auto advice = for_place(wrong, job)) return *advice;
  return {"by_hand", message("Work {element} out by hand, from the table above: which {worker} stores it, and which "
                             "elements has it added?",
                             {{"element", wrong.where}, {"worker", worker(job)}})};
}

}  // namespace warpladder
