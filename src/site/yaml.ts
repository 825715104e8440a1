/**
 * Writes JSON data as YAML 1.2 in block style, for people to read. Text of several lines becomes a literal block; other
 * text is plain where no YAML parser could take it for anything else, and in double quotes otherwise.
 */
export const toYaml = (value: unknown): string => writeBlock(value, "").replace(/^\n/, "");

/** The value as it follows its key: on the same line, or on the next ones, indented. Ends with a line feed. */
function writeBlock(value: unknown, indent: string): string {
  if (typeof value === "string") return ` ${writeText(value, indent)}\n`;
  if (typeof value !== "object" || value === null) return ` ${JSON.stringify(value)}\n`;
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    // The first line of an item follows its hyphen.
    const items = value.map((item) => {
      const text = writeBlock(item, `${indent}  `).replace(/^\n? */, "");
      return `${indent}- ${text}`;
    });
    return `\n${items.join("")}`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return " {}\n";
  const lines = members.map(
    ([name, member]) => `${indent}${writeScalar(name)}:${writeBlock(member, `${indent}  `)}`,
  );
  return `\n${lines.join("")}`;
}

function writeText(text: string, indent: string): string {
  if (!LITERAL.test(text) || UNPRINTABLE.test(text)) return writeScalar(text);
  const inner = indent === "" ? "  " : indent;
  return `|-\n${text.replaceAll(/^(?=.)/gm, inner)}`;
}

/** Several lines that begin and end with more than white space. */
const LITERAL = /^\S[^\r]*\n[^\r]*\S$/;

/** Characters that YAML does not allow as they are, or takes for line breaks (YAML 1.2.2, sections 5.1 and 5.4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNPRINTABLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/;

/** Begins like a word, so it is no number; has no `: ` and no ` #`. */
const PLAIN = /^[A-Za-z/$][\w./$-]*(?: [\w./$-]+)*$/;
/** Not text in YAML 1.1 or 1.2. */
const KEYWORD = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function writeScalar(text: string): string {
  if (PLAIN.test(text) && !KEYWORD.test(text)) return text;
  // A JSON string is a double-quoted scalar (YAML 1.2.2, section 7.3.1).
  const quoted = JSON.stringify(text);
  return quoted.replaceAll(new RegExp(UNPRINTABLE, "g"), (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}
