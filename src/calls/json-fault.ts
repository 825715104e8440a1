import { JSON_DEPTH_MAX } from "#limits.ts";

/**
 * Finds where a text stops being JSON (RFC 8259), because `JSON.parse` does not always report the position, and its
 * wording differs between runtimes. It makes one pass without recursion, and runs only on texts that `JSON.parse` has
 * rejected.
 */
export type JsonFault = { line: number; column: number; reason: string };

export function findJsonFault(text: string): JsonFault | undefined {
  const fault = new Scanner(text).scan();
  return fault === undefined ? undefined : { ...positionOf(text, fault.at), reason: fault.reason };
}

type Fault = { at: number; reason: string };

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
/** Characters that need no escape in a string. Escapes are checked one by one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Each iteration reads one value; the open containers are on a stack. */
  scan(): Fault | undefined {
    const open: ("[" | "{")[] = [];
    for (;;) {
      this.#skip(SPACE);
      const container = this.#text[this.#at];
      if (container === "[" || container === "{") {
        if (open.length >= JSON_DEPTH_MAX) {
          return this.#fault(`nests deeper than ${JSON_DEPTH_MAX} levels`);
        }
        this.#at += 1;
        open.push(container);
        this.#skip(SPACE);
        if (!this.#take(container === "[" ? "]" : "}")) {
          const fault = container === "{" ? this.#name() : undefined;
          if (fault !== undefined) return fault;
          continue;
        }
        open.pop();
      } else {
        const fault = this.#scalar();
        if (fault !== undefined) return fault;
      }
      const end = this.#afterValue(open);
      if (end !== "more") return end;
    }
  }

  /** After a value: closes the containers that end here and returns whether another value follows. */
  #afterValue(open: ("[" | "{")[]): Fault | undefined | "more" {
    for (;;) {
      this.#skip(SPACE);
      const inner = open.at(-1);
      if (inner === undefined) {
        return this.#at === this.#text.length
          ? undefined
          : this.#fault(`expected the end of the body, found ${this.#found()}`);
      }
      if (this.#take(",")) {
        this.#skip(SPACE);
        if (inner === "[") return "more";
        return this.#name() ?? "more";
      }
      const close = inner === "[" ? "]" : "}";
      if (!this.#take(close)) {
        return this.#fault(`expected "," or "${close}", found ${this.#found()}`);
      }
      open.pop();
    }
  }

  /** Reads a member's name and its colon. */
  #name(): Fault | undefined {
    if (this.#text[this.#at] !== '"') {
      return this.#fault(`expected a name in double quotes, found ${this.#found()}`);
    }
    const fault = this.#string();
    if (fault !== undefined) return fault;
    this.#skip(SPACE);
    return this.#take(":") ? undefined : this.#fault(`expected ":", found ${this.#found()}`);
  }

  #scalar(): Fault | undefined {
    if (this.#text[this.#at] === '"') return this.#string();
    if (this.#skip(NUMBER) || this.#skip(LITERAL)) return undefined;
    return this.#fault(`expected a value, found ${this.#found()}`);
  }

  #string(): Fault | undefined {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      this.#skip(PLAIN);
      const char = this.#text[this.#at];
      if (char === undefined)
        return { at: start, reason: "the string that starts here is not closed" };
      if (char === "\\") {
        if (!this.#skip(ESCAPE))
          return this.#fault("a backslash must start a JSON escape sequence");
      } else if (char === '"') {
        this.#at += 1;
        return undefined;
      } else {
        return this.#fault("a control character must be escaped in a string");
      }
    }
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return false;
    this.#at = pattern.lastIndex;
    return match[0] !== "";
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #found(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return "the end of the body";
    const char = String.fromCodePoint(code);
    // Control characters, spaces and invisible characters are named by their code point.
    return !/[\p{C}\p{Z}]/u.test(char)
      ? JSON.stringify(char)
      : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }

  #fault(reason: string): Fault {
    return { at: this.#at, reason };
  }
}

/** Line and column as an editor counts them: both start at 1, and each character is one column. */
function positionOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < at; next = text.indexOf("\n", start)) {
    line += 1;
    start = next + 1;
  }
  let column = 1;
  for (const _ of text.slice(start, at)) column += 1;
  return { line, column };
}
