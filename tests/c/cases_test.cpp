// The cases of cases.tsv in C++ and in C; the packages of other languages have the same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "evname/evname.h"
#include "evname/machine.hpp"

namespace evname {
namespace {

struct Case {
  std::string question, cpu, pmu, argument, answer;
};

std::vector<Case> cases() {
  std::ifstream file(std::string(std::getenv("EVNAME_SOURCE_ROOT")) + "/tests/c/cases.tsv");
  std::vector<Case> found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    Case& one = found.emplace_back();
    for (std::string* cell : {&one.question, &one.cpu, &one.pmu, &one.argument, &one.answer})
      std::getline(cells, *cell, '\t');
  }
  return found;
}

evname_code code_of(const std::string& words) {
  evname_code code{};
  std::istringstream cells(words);
  std::size_t i = 0;
  for (std::string word; std::getline(cells, word, ',');)
    code.config[i++] = std::stoull(word, nullptr, 0);
  return code;
}

std::string words_of_code(const evname_code& code) {
  std::size_t count = 5;
  while (count > 1 && code.config[count - 1] == 0) --count;
  std::string words;
  for (std::size_t i = 0; i < count; ++i)
    words += fmt::format("{}{:#x}", i == 0 ? "" : ",", code.config[i]);
  return words;
}

std::string answer_in_cpp(const Case& one) {
  const Machine machine = Machine::named(one.cpu).value();
  const Code code = code_of(one.question == "name" ? one.argument : "");
  if (one.question == "name")
    return (one.pmu.empty() ? machine.names_of(code) : machine.names_of(one.pmu, code)).text();
  if (one.question == "events") return std::to_string(machine.events(one.argument).size());
  const auto encodings = machine.resolve(one.argument);
  if (!encodings) return fmt::format("error {}", encodings.error().offset.value_or(9999));
  std::string words;
  for (const Encoding& encoding : *encodings)
    words += (words.empty() ? "" : " ") + words_of_code(encoding.code);
  return words;
}

std::string answer_of(const evname_machine* machine, const Case& one) {
  if (one.question == "name") {
    const evname_code code = code_of(one.argument);
    const char* const pmu = one.pmu.empty() ? nullptr : one.pmu.c_str();
    char name[200], part[8];
    const std::size_t length = evname_name_of(machine, pmu, &code, name, sizeof name);
    EXPECT_EQ(length, std::string(name).size());
    EXPECT_EQ(evname_name_of(machine, pmu, &code, part, sizeof part), length);
    EXPECT_EQ(part, std::string(name).substr(0, 7));
    return name;
  }
  if (one.question == "events") {
    evname_events* events = nullptr;
    EXPECT_EQ(evname_events_list(machine, one.argument.c_str(), &events, nullptr), EVNAME_OK);
    const std::size_t count = evname_events_count(events);
    evname_events_free(events);
    return std::to_string(count);
  }
  evname_attr attrs[8];
  std::size_t count = 0;
  evname_error error;
  if (evname_resolve(machine, one.argument.c_str(), attrs, 8, &count, &error) != EVNAME_OK)
    return fmt::format("error {}", error.offset);
  std::string words;
  for (std::size_t i = 0; i < count; ++i)
    words += (words.empty() ? "" : " ") + words_of_code(attrs[i].code);
  return words;
}

std::string answer_in_c(const Case& one) {
  evname_machine* machine = nullptr;
  EXPECT_EQ(evname_machine_open(one.cpu.c_str(), nullptr, &machine, nullptr), EVNAME_OK);
  std::string answer = answer_of(machine, one);
  evname_machine_free(machine);
  return answer;
}

TEST(Cases, AreTheSameInEachLanguage) {
  const std::vector<Case> all = cases();
  ASSERT_GT(all.size(), 20u);
  for (const Case& one : all) {
    const std::string about = one.question + ' ' + one.cpu + ' ' + one.pmu + ' ' + one.argument;
    EXPECT_EQ(answer_in_cpp(one), one.answer) << about;
    EXPECT_EQ(answer_in_c(one), one.answer) << about;
  }
}

}  // namespace
}  // namespace evname
