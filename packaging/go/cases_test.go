package evname

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func wordsText(words Code) string {
	count := len(words)
	for count > 1 && words[count-1] == 0 {
		count--
	}
	texts := []string{}
	for _, word := range words[:count] {
		texts = append(texts, fmt.Sprintf("%#x", word))
	}
	return strings.Join(texts, ",")
}

func answer(t *testing.T, question, cpu, pmu, argument string) string {
	machine, err := Named(cpu)
	if err != nil {
		t.Fatal(err)
	}
	if question == "name" {
		var code Code
		for i, text := range strings.Split(argument, ",") {
			if code[i], err = strconv.ParseUint(text, 0, 64); err != nil {
				t.Fatal(err)
			}
		}
		name, err := machine.Name(code, pmu)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	encodings, err := machine.Resolve(argument)
	var failure *Error
	if errors.As(err, &failure) {
		return fmt.Sprint("error ", failure.Offset)
	}
	texts := []string{}
	for _, encoding := range encodings {
		texts = append(texts, wordsText(encoding.Words))
	}
	return strings.Join(texts, " ")
}

// The cases of tests/c/cases.tsv have the same answer in each language.
func TestAnswersAreThoseOfEveryLanguage(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("..", "..", "tests", "c", "cases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimRight(string(table), "\n"), "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "events") {
			continue // this package has no lists of events
		}
		cells := strings.Split(line, "\t")
		if got := answer(t, cells[0], cells[1], cells[2], cells[3]); got != cells[4] {
			t.Errorf("%s: %q", line, got)
		}
	}
}
