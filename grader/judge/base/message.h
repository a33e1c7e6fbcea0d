// message: a text for a person as plain values: its English form, and the arguments in it. It says itself in English.
// The launcher says it in another language: the form is its name in a catalogue (common/translation/messages).
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpladder {

struct Message {
  using Arguments = std::vector<std::pair<std::string, Message>>;

  Message() = default;
  // What is the same in every language: a name, a figure, a line that somebody else has printed.
  Message(std::string text) : form(std::move(text)) {}
  Message(std::integral auto number) : form(std::to_string(number)) {}
  Message(const char*) = delete;  // message() for words, std::string() for a name

  std::string text() const;  // in English
  bool empty() const { return form.empty(); }
  friend bool operator==(const Message& one, std::string_view text) { return one.text() == text; }
  bool is_words() const { return is_words_; }
  // The same with this text for each of its verbatim parts.
  template <class Change>
  Message changed(Change change) const {
    Message copy = *this;
    if (!is_words_) copy.form = change(form);
    for (auto& [key, value] : copy.arguments) value = value.changed(change);
    return copy;
  }

  std::string form;  // in it, {key} stands for an argument
  Arguments arguments;
  size_t columns = 0;        // of a cell: it is filled up with spaces
  bool is_sentence = false;  // it begins with a capital letter

 private:
  friend Message message(std::string_view, Arguments);
  std::string filled() const;
  bool is_words_ = false;
};

// Words that are translated. `grader/tools/messages.py` finds the forms by the name of this function.
Message message(std::string_view form, Message::Arguments arguments = {});

// Marks a form that stands in a table, for the same program.
constexpr const char* later(const char* form) { return form; }

// Messages with a separator between them.
Message together(const std::vector<Message>& parts, const std::string& separator);

// "a, b or c"
Message either(std::vector<std::string> names);

std::vector<std::string> texts(const std::vector<Message>& messages);

}  // namespace warpladder
