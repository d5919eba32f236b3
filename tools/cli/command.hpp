#pragma once
// The command line: a program, its subcommands and their options, which getopt_long() reads.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evname::tools {

/// Exit codes of the command.
enum Exit : int {
  kDone = 0,
  kPartial = 1,   ///< it ran, but part of the answer is missing
  kUnusable = 2,  ///< unusable input or arguments
};

/// An option or a positional argument. A handle: copies mean the same option, and a default one
/// means none.
class Option {
 public:
  struct Row;

  /// A value, and how many values of another option were given before it.
  struct Placed {
    std::size_t before;
    std::string value;
  };

  Option() = default;
  explicit Option(Row* row) : row_(row) {}
  explicit operator bool() const { return row_ != nullptr; }

  // Declaring it.
  Option& required();
  Option& value_name(const std::string& name);  ///< "CPU", for help and completion
  Option& one_of(const std::vector<std::string>& values);
  Option& existing_directory();
  Option& between(unsigned first, unsigned last);
  /// `problem` returns the fault of a value; "" if it has none.
  Option& checked_by(std::string (*problem)(const std::string& value));
  Option& comma_separated();
  Option& one_value_each();               ///< may be repeated, and takes the word after it, no more
  Option& also(const std::string& word);  ///< another long name; not in help and completion
  Option& hide();                         ///< left out of help, manual and completion
  Option& if_bare(const std::string& value);  ///< the value if the option has none
  Option& last_counts();                      ///< the last one, if it is given several times
  Option& excludes(const Option& other);
  Option& placed_among(const Option& other);  ///< for Placed::before

  bool is_given() const;

  // The data for help, manual and completion.
  bool is_positional() const;
  bool is_hidden() const;
  bool is_required() const;
  bool takes_value() const;
  bool takes_many() const;            ///< any number of values
  std::string about() const;          ///< its line of help
  std::string group() const;          ///< the heading of its list; "" for "Options"
  std::string argument_name() const;  ///< "FILE"; "" unless positional
  bool may_be_bare() const;
  std::string value_name() const;              ///< "CPU", "WHEN"; "" for a flag
  std::vector<std::string> values() const;     ///< the words of one_of(), in their order
  std::vector<std::string> spellings() const;  ///< "-o", "--output"; none if positional or hidden
  bool is_spelled(std::string_view word) const;

 private:
  Row* row_ = nullptr;
};

/// A subcommand, or the program itself.
class Command {
 public:
  /// `title` is the name in its help: "evname report".
  Command(const std::string& title, const std::string& about);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// `names` are "-o,--output", or "FILE" for a positional argument; `value` stays unchanged unless
  /// the option is given. A string, a list of them or of Placed, or an unsigned number.
  template <class T>
  Option option(const std::string& names, T& value, const std::string& about);
  /// One of these words, which stand for numbers.
  Option choice(const std::string& names, int& value, const std::string& about,
                const std::vector<std::pair<std::string, int>>& words);
  Option flag(const std::string& names, bool& value, const std::string& about);
  Option flag(const std::string& names, std::vector<Option::Placed>& values,
              const std::string& about);  ///< adds an empty value
  Option flag(const std::string& names, const std::string& about);
  /// A flag that may be repeated: -d, -dd.
  Option counted_flag(const std::string& names, unsigned& times, const std::string& about);
  /// A flag of perf that help does not list, because it selects the default or because the
  /// subcommand uses `given`.
  Option accept(const std::string& names, bool* given = nullptr);

  /// The heading in help and manual of the options that are declared from now on; "": no own one.
  void group(const std::string& heading) { group_ = heading; }

  /// The words after the arguments, or after "--", are another command with its own options.
  void runs_another(std::vector<std::string>& words);
  bool runs_another() const;

  /// Makes the options that `function` takes when this command is chosen. `problem` returns a fault
  /// of their combination, once all are read; "" if there is none.
  template <class Options>
  auto& runs(int (*function)(Options&),
             std::string_view (*problem)(const std::remove_const_t<Options>&) = nullptr) {
    auto action = std::make_unique<ActionOf<Options>>(function, problem);
    auto& options = action->options;
    action_ = std::move(action);
    return options;
  }
  int run() { return action_->run(); }

  /// The notes below the options.
  void notes(const std::string& text) { notes_ = text; }
  const std::string& notes() const { return notes_; }
  /// The end of --help in lines of that width; written only if --help is asked for.
  void footer(std::function<std::string(std::size_t width)> text) { footer_ = std::move(text); }
  void hide() { hidden_ = true; }
  bool is_hidden() const { return hidden_; }

  std::string name() const { return title_.substr(title_.rfind(' ') + 1); }
  const std::string& about() const { return about_; }
  std::vector<Option> options() const;  ///< --help among them
  /// The options with that group's heading that help shows. Headings come as they were first used,
  /// "" after all others.
  std::vector<std::pair<std::string, std::vector<Option>>> grouped_options() const;
  /// "evname export [OPTIONS] [FILE...]", with "[-- COMMAND …]" if it runs another command.
  std::string usage() const;
  /// The text of --help in lines of that width; the program's own help also has the subcommands.
  std::string help(std::size_t width,
                   std::span<const std::unique_ptr<Command>> subcommands = {}) const;

  /// Takes the options and arguments at the front of the words. Returns the fault; "" if there is
  /// none. Sets `extra` to an unexpected word. `words` keeps the rest.
  std::string read(std::vector<std::string>& words, std::string& extra);
  /// The words that were given to read().
  const std::vector<std::string>& words() const { return words_; }
  bool asks_for_help() const;
  /// Checks and keeps the values, once all words are read. Returns the fault; "" if there is none.
  std::string keep_values();

 private:
  struct Action {
    virtual ~Action() = default;
    virtual int run() = 0;
    virtual std::string_view problem() const = 0;
  };
  template <class Options>
  struct ActionOf final : Action {
    using Problem = std::string_view (*)(const std::remove_const_t<Options>&);
    ActionOf(int (*to_run)(Options&), Problem to_ask) : function(to_run), ask(to_ask) {}
    int run() override { return function(options); }
    std::string_view problem() const override {
      return ask != nullptr ? ask(options) : std::string_view();
    }
    int (*function)(Options&);
    Problem ask;
    std::remove_const_t<Options> options;
  };

  Option add(const std::string& names, const std::string& about);

  std::string title_, about_, notes_, group_;
  std::function<std::string(std::size_t)> footer_;
  std::vector<std::unique_ptr<Option::Row>> rows_;
  std::unique_ptr<Action> action_;
  std::vector<std::string>* other_words_ = nullptr;
  std::vector<std::string> words_;
  bool hidden_ = false;
};

/// The result of reading a command line.
struct Parsed {
  bool answered = false;       ///< --help, --version
  std::string answer;          ///< what it says
  Command* command = nullptr;  ///< the subcommand, if one was named
  std::string mistake;         ///< "": there is none
  std::string extra;           ///< the unexpected word
};

/// Needs a subcommand.
class Program {
 public:
  Program(const std::string& name, const std::string& about, const std::string& version);

  /// The program's own options.
  Command& self() { return self_; }
  const Command& self() const { return self_; }
  Command& add(const std::string& name, const std::string& about);
  const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }
  Command* find(std::string_view name) const;  ///< nullptr: there is none

  /// `width`: of help.
  Parsed parse(std::vector<std::string> words, std::size_t width);

 private:
  std::string version_;
  Command self_;
  Option asks_for_version_;
  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace evname::tools
