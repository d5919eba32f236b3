// Shortens names: C++ without return types and parameters, long template arguments folded. A shown
// name does not identify a function.
const kShortArguments = 20;
const kPairs = {"<": ">", "(": ")", "[": "]", "{": "}"};

// The end of the brackets that begin at `at`; the text's end if they are not closed.
function closing(text, at) {
  const open = [];
  for (let i = at; i < text.length; ++i) {
    const letter = text[i];
    if (letter === ">" && text[i - 1] === "-") continue;  // ->
    if (letter in kPairs) open.push(kPairs[letter]);
    else if (letter === open[open.length - 1]) { open.pop(); if (open.length === 0) return i + 1; }
  }
  return text.length;
}
// An operator's own letters: operator<<, operator(), operator->; 0 if there is none at `at`.
function operatorAt(text, at) {
  if (!text.startsWith("operator", at) || /\w/.test(text[at - 1] ?? " ") || /\w/.test(text[at + 8] ?? " ")) return 0;
  return text.slice(at).match(/^operator(\(\)|\[\]|<=>|<<=|>>=|->\*?|<<|>>|&&|\|\||\+\+|--|[-+*/%^&|!=<>]=|[-+*/%^&|~!=<>,]|\s+"" ?\w+|\s+(new|delete)(\[\])?|\s+[\w:]+( \w+)*[*& ]*)?/)[0].length;
}

// The pieces of a name, parted at its outer brackets: {text, open}; `open` is the bracket that a piece begins with, or "".
function piecesOf(name) {
  const pieces = [];
  let plain = "";
  const flush = () => { if (plain) pieces.push({text: plain, open: ""}); plain = ""; };
  for (let i = 0; i < name.length;) {
    const word = operatorAt(name, i);
    if (word > 0) { plain += name.slice(i, i + word); i += word; continue; }
    if (name[i] in kPairs) {
      flush();
      const end = closing(name, i);
      pieces.push({text: name.slice(i, end), open: name[i]});
      i = end;
    } else plain += name[i++];
  }
  flush();
  return pieces;
}

const folded = (text, parameters) => text.length <= kShortArguments ? text
  : text[0] === "(" ? `(${foldedList(text.slice(1, -1), parameters)})` : `${text[0]}\u2026${kPairs[text[0]]}`;
const foldedList = (text, parameters) => piecesOf(text).map(piece => piece.open ? folded(piece.text, parameters) : piece.text).join("");

// "<B as E>" for Rust's "<a::B<C> as d::E>".
const foldedTrait = text => {
  let inner = text.slice(1, -1);
  for (let before = ""; before !== inner;) { before = inner; inner = inner.replace(/(?:::)?<[^<>]*>/g, ""); }
  return `<${inner.replace(/\w+::/g, "")}>`;
};

// "f<int>" for "void f<int>(char) const".
function shortName(name, parameters = false) { return shortened(name, parameters) || name; }
function shortened(name, parameters) {
  if (!/[<(]/.test(name) || name[0] === "[" || name.length > 100000) return name;
  let pieces = piecesOf(name);
  const isList = (piece, i) => piece.open === "(" && piece.text !== "(anonymous namespace)" && pieces[i + 1]?.text[0] !== ".";  // Go's (*T).f
  const last = pieces.findLastIndex(isList);
  if (last < 0)
    return pieces.map((piece, i) => piece.open !== "<" ? piece.text : i === 0 ? foldedTrait(piece.text) : folded(piece.text)).join("");
  // The return type ends at the last blank before the name that is outside of brackets.
  for (let i = last - 1; i >= 0; --i) {
    const {text, open} = pieces[i], word = text.search(/\boperator\b/), blank = open ? -1 : (word < 0 ? text : text.slice(0, word)).lastIndexOf(" ");
    if (blank < 0) continue;
    pieces = [{text: text.slice(blank + 1), open: ""}, ...pieces.slice(i + 1)];
    break;
  }
  const end = pieces.findLastIndex(isList);
  return pieces.slice(0, end + 1).map((piece, i) => {
    if (isList(piece, i)) return parameters ? folded(piece.text, true) : "";
    if (piece.open === "{") return piece.text.replace(/\(.*\)/s, "");  // {lambda(int)#1}
    return piece.open === "<" ? folded(piece.text) : piece.text;
  }).join("");
}
