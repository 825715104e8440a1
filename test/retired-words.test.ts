import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { transformSync } from "esbuild";

/**
 * The words that this project has given up for standard terms. Each row has the standard term. A match that has another, ordinary
 * sense is an exception below, with its reason.
 */
const ROOT = path.join(import.meta.dirname, "..");

/** Retired everywhere: identifiers, comments, messages, docs and names of tests. */
const RETIRED: Record<string, string> = {
  "letters?": "email",
  "refusals?": "error",
  "journeys?": "round trip",
  "houses?": "the project; Deps",
  "cellars?": "store",
  "pens?": "repository, writer",
  "demand(?:s|ed|ing)?": "require",
  "complain(?:s|ed|ing|ts?)?": "logError",
  "kept reversals?": "stored reversal",
};

/** Ordinary English, but no longer identifiers: as parts of names they had a private sense. */
const RETIRED_IDENTIFIERS: Record<string, string> = {
  "answers?": "response",
  "books?": "repository, store",
  "carryon|carry on": "deliver",
  "desks?": "Deps",
  "doors?": "entry point, app",
  far: "remote",
  "figures?": "usage, totals",
  "folds?": "roll up",
  "halls?": "pipeline",
  "mend(?:s|ed)?": "repair, reconnect",
  near: "local",
  "notes?": "record",
  "notices?": "event, notification",
  people: "users; dashboard",
  "persons?": "user",
  "posts?": "email; send",
  "rooms?": "MemoryBudget; part",
  "scenes?": "fixture",
  "settings shown": "configuration",
  "shares?": "MemoryLease",
  "strangers?": "client, user",
  "suppl(?:y|ies)": "ToolContext, deps",
  told: "a past participle of what happened: sent, reported",
  "traces?": "RequestContext",
  "visits?": "RequestContext; AccessLogEntry",
};

type Exception = {
  files: RegExp;
  /** As it stands in the tables above. */
  word: string;
  /** What a line must also match; left out, every line. */
  line?: RegExp;
  reason: string;
};

const EXCEPTIONS: readonly Exception[] = [
  {
    files: /./,
    word: "demand(?:s|ed|ing)?",
    line: /\bon demand\b/i,
    reason: "when it is needed",
  },
  {
    files:
      /^(?:src\/(?:tools|ids|site\/(?:\w+-)?style|billing\/price-list)|test\/tools|docs\/(?:markdown|qr-code|payments|decisions\/0006)|web\/.*(?:\.css|-style\.ts))/,
    word: "letters?",
    reason: "letters of an alphabet, and the CSS property letter-spacing",
  },
  {
    files: /./,
    word: "letters?",
    line: /letter for letter|letter by letter|(?:small|capital|lower-?case) letters|letters,? (?:and )?digits|letters of the alphabet|letter-spacing/i,
    reason: "letters of an alphabet, and the CSS property letter-spacing",
  },
  {
    files: /^(?:src|web)\//,
    word: "posts?",
    line: /postMessage|\.post\(|\bpost[:?(]|\bPOST\b|\?\.post\b|\.post\b/,
    reason: "the method POST, and messages between threads",
  },
  {
    files: /^src\/(?:api|calls|apps\/node)\//,
    word: "traces?",
    line: /\btraceId(?:Of)?\b/,
    reason: "the trace id of W3C Trace Context",
  },
  {
    files: /^web\/vite\.config\.ts$/,
    word: "shares?",
    line: /\bminShareCount\b/,
    reason: "an option of the bundler",
  },
];

const texts = [
  ...filesBelow("src", /\.(?:tsx?|sql|css)$/),
  ...filesBelow("web", /\.(?:tsx?|css|html)$/),
  ...filesBelow("docs", /\.md$/),
  ...["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"],
];
const code = texts.filter((file) => /\.tsx?$/.test(file));
const tests = filesBelow("test", /\.tsx?$/);

test("no retired word is left in src, web, docs and the guides", () => {
  assertNone(texts.flatMap((file) => matches(file, read(file), RETIRED)));
});

test("no name of a file has a retired word", () => {
  const names = [...texts, ...tests].filter((file) => !file.startsWith("test/retired-words"));
  const all = { ...RETIRED, ...RETIRED_IDENTIFIERS };
  assertNone(names.flatMap((file) => matches(file, file, all)));
});

test("no name of a test has a retired word", () => {
  const found = tests
    .filter((file) => file !== "test/retired-words.test.ts")
    .flatMap((file) => matches(file, testNamesOf(file), RETIRED));
  assertNone(found);
});

test("no identifier in src and web has a word in its retired private sense", () => {
  const { isIn } = patternsOf(RETIRED_IDENTIFIERS);
  const found = code
    .filter((file) => isIn.test(splitNames(read(file))))
    .flatMap((file) => matches(file, identifiersOf(file), RETIRED_IDENTIFIERS));
  assertNone(found);
});

test("every exception is needed", () => {
  const unused = EXCEPTIONS.filter((exception) => !used.has(exception));
  assert.deepEqual(unused, []);
});

const used = new Set<Exception>();

type Words = Readonly<Record<string, string>>;

const patterns = new Map<Words, { isIn: RegExp; each: [word: string, pattern: RegExp][] }>();

/** A pattern for all words of a table, and one for each. */
function patternsOf(words: Words) {
  const known = patterns.get(words);
  if (known !== undefined) return known;
  const patternOf = (word: string) => new RegExp(`(?<![\\w'])(?:${word})(?!\\w)`, "i");
  const each = Object.keys(words).map((word): [string, RegExp] => [word, patternOf(word)]);
  const made = { isIn: patternOf(Object.keys(words).join("|")), each };
  patterns.set(words, made);
  return made;
}

/** Looks at each line only where a word is in the text. */
function matches(file: string, text: string, words: Words): string[] {
  const { isIn, each } = patternsOf(words);
  if (!isIn.test(splitNames(text))) return [];
  return text.split("\n").flatMap((line, index) => {
    const plain = splitNames(line);
    return each.flatMap(([word, pattern]) => {
      const match = pattern.exec(plain)?.[0];
      if (match === undefined || isException(file, word, line)) return [];
      const shown = `"${match}" (write: ${words[word]}) in ${line.trim().slice(0, 100)}`;
      return [`${file}:${index + 1}: ${shown}`];
    });
  });
}

/** `sendEmail`, `send_email` and `send-email` are words. */
const splitNames = (text: string): string =>
  text.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll(/[_-]/g, " ");

function isException(file: string, word: string, text: string): boolean {
  const exception = EXCEPTIONS.find(
    (each) =>
      each.word === word &&
      each.files.test(file) &&
      (each.line === undefined || each.line.test(text)),
  );
  if (exception !== undefined) used.add(exception);
  return exception !== undefined;
}

const SHOWN = 200;

function assertNone(found: readonly string[]): void {
  const files = new Set(found.map((text) => text.split(":")[0])).size;
  const shown = found.slice(0, SHOWN).join("\n");
  assert.equal(found.length, 0, `${found.length} in ${files} files:\n${shown}\n`);
}

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

const contents = new Map<string, string>();

/** Reads each file once. */
function read(file: string): string {
  const text = contents.get(file) ?? readFileSync(path.join(ROOT, file), "utf8");
  contents.set(file, text);
  return text;
}

/** The sentences of tests, on their lines: `test("…"`, `it("…"`, `describe("…"` and the suites' own functions. */
function testNamesOf(file: string): string {
  const name =
    /\b(?:test|it|describe|rule|sentence)\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;
  let names = "";
  let end = 0;
  for (const match of read(file).matchAll(name)) {
    names += lineEndsOf(read(file).slice(end, match.index)) + (match[1] ?? match[2] ?? "");
    end = match.index;
  }
  return names;
}

const lineEndsOf = (text: string) => text.replaceAll(/[^\n]+/g, "");

const SKIPPED =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[=(,:[!&|?{};+]\s*|\breturn\s)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*|`/g;

/** The code of a file without comments, strings and regular expressions. Markup loses its types: they name nothing more. */
function identifiersOf(file: string): string {
  const text = file.endsWith(".tsx")
    ? transformSync(read(file), { loader: "tsx", jsx: "transform" }).code
    : read(file);
  let plain = "";
  let end = 0;
  SKIPPED.lastIndex = 0;
  for (let match = SKIPPED.exec(text); match !== null; match = SKIPPED.exec(text)) {
    const skipped = match[0] === "`" ? templateAt(text, match.index) : match[0];
    plain += text.slice(end, match.index) + (lineEndsOf(skipped) || " ");
    end = match.index + skipped.length;
    SKIPPED.lastIndex = end;
  }
  return plain + text.slice(end);
}

/** A template from its first backtick to its last, with those inside its expressions. */
function templateAt(text: string, from: number): string {
  let at = from + 1;
  let depth = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (depth === 0 && character === "`") return text.slice(from, at + 1);
    else if (depth > 0 && character === "`") at += templateAt(text, at).length - 1;
    else if (character === "{" && (depth > 0 || text[at - 1] === "$")) depth += 1;
    else if (character === "}" && depth > 0) depth -= 1;
    at += 1;
  }
  return text.slice(from);
}
