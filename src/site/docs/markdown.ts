/** Pieces of Markdown that are written by code. */

/** A sentence in which `backticks` mark code, as Markdown: everything else that would be markup or become a link is escaped. */
export const sentence = (text: string): string =>
  text
    .split("`")
    .map((piece, index) => (index % 2 === 1 ? inlineCode(piece) : escapeText(piece)))
    .join("");

const escapeText = (text: string): string =>
  text.replace(
    /[\\<[\]*|]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|(?<=\bhttps?):(?=\/\/)|(?<=\w)@(?=\w)/g,
    "\\$&",
  );

/** A link whose text is its address, for an email or web address; any other text stays text. */
export const autolink = (address: string): string =>
  /^(?:https?:\/\/[^\s<>]+|[\w.+-]+@[\w.-]+\w)$/.test(address) ? `<${address}>` : sentence(address);

export const inlineCode = (text: string): string =>
  text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;

/** `cells` are Markdown; a bar within one is escaped, in code too (GFM 4.10). */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("\n", " ").replace(/(?<!\\)\|/g, "\\|")).join(" | ")} |\n`;
  return `${line(head)}${line(head.map(() => "---"))}${rows.map(line).join("")}`;
}

/** A code block. Its fence is longer than any run of backticks in the code. */
export function fence(language: string, code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}\n`;
}

/** `1,000`: a number as the pages write it. */
export const formatCount = (value: number): string => value.toLocaleString("en-US");
