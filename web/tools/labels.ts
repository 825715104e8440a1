import type { Tool } from "#tools/define-tool.ts";

/**
 * The words of the forms for people: labels, short help and the names of choices. They are here and not in the tools, because
 * the API does not need them. A field without an entry gets its name in words and its description.
 */
type Words = {
  label: string;
  /** Replaces the description of the API, which speaks to programmers. */
  help?: string;
  placeholder?: string;
  choices?: Record<string, string>;
};

const WORDS: Record<string, Record<string, Words>> = {
  "markdown-render": {
    markdown: {
      label: "Markdown",
      help: "GitHub-flavored. Raw HTML is removed and its text stays.",
    },
    format: {
      label: "Result",
      help: "Plain text comes in addition to the HTML.",
      choices: { html: "HTML", text: "HTML and plain text" },
    },
    headingIds: {
      label: "IDs on headings",
      help: "As on GitHub, with the prefix `user-content-`. Links such as `#installation` are adapted.",
    },
    baseUrl: {
      label: "Base URL",
      help: "Relative links and images are resolved against it.",
      placeholder: "https://example.com/docs/",
    },
    html: {
      label: "Raw HTML",
      help: "Kept elements are harmless, such as images, `details` and tables.",
      choices: { strip: "Remove", safe: "Keep safe elements" },
    },
    breaks: { label: "Line breaks", help: "Every line ending is a line break." },
    math: {
      label: "Math",
      help: "Formulas are kept for KaTeX or MathJax.",
      choices: { markdown: "Read as Markdown", keep: "Keep" },
    },
    frontMatter: {
      label: "Front matter",
      help: "",
      choices: { markdown: "Read as Markdown", skip: "Leave out", data: "Return" },
    },
    outline: { label: "Outline", help: "Headings, title and number of words." },
  },
  "qr-code": {
    text: {
      label: "Text",
      help: "A URL or any text, up to 4 KB. The lower the error correction, the more fits.",
    },
    format: {
      label: "Format",
      help: "",
      choices: { png: "PNG", svg: "SVG", utf8: "Text" },
    },
    errorCorrectionLevel: {
      label: "Error correction",
      help: "How much of the code may be damaged or covered.",
      choices: { L: "L, 7 %", M: "M, 15 %", Q: "Q, 25 %", H: "H, 30 %" },
    },
    width: { label: "Size", help: "In pixels. From 64 to 2,048." },
    margin: { label: "Margin", help: "Quiet zone in modules; scanners expect 4." },
    dark: {
      label: "Color",
      placeholder: "#000000",
      help: "Of the dark modules, as `#rgb` or `#rrggbb`.",
    },
    light: { label: "Background", placeholder: "#ffffff", help: "A color, or `transparent`." },
    eci: {
      label: "UTF-8 header",
      help: "Marks text beyond ASCII as UTF-8. Without it, a few readers show other characters.",
      choices: { auto: "Where needed", never: "Never" },
    },
    invert: { label: "For a dark terminal", help: "Only for the format Text." },
  },
  hash: {
    text: { label: "Text or file", help: "The UTF-8 bytes of a text, or a file of any size." },
    algorithm: {
      label: "Algorithm",
      help: "Use SHA-1 for legacy formats only.",
      choices: { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" },
    },
    hmacKey: {
      label: "HMAC key",
      help: "Optional secret. With it, the result is the HMAC of the input.",
    },
    hmacKeyEncoding: {
      label: "Key encoding",
      help: "How the HMAC key is written.",
      choices: { utf8: "Text", hex: "Hex", base64: "Base64" },
    },
    encoding: {
      label: "Encoding",
      help: "",
      choices: { hex: "Hex", base64: "Base64", base64url: "Base64url" },
    },
  },
  uuid: {
    count: { label: "Number of UUIDs" },
    uppercase: { label: "Uppercase", help: "" },
    version: {
      label: "Version",
      help: "Version 7 begins with the time, so UUIDs sort by it.",
      choices: { "4": "4, random", "7": "7, by time" },
    },
  },
  echo: {
    body: { label: "JSON body", help: "Any JSON value, or nothing." },
  },
};

/** What the form shows of a field. An own tool may have the name of one that it replaces. */
export function wordsOf(tool: Tool<unknown>, name: string, description: string): Required<Words> {
  const words = tool.isOwn ? undefined : WORDS[tool.name]?.[name];
  return {
    label: words?.label ?? inWords(name),
    help: words?.help ?? description,
    placeholder: words?.placeholder ?? "",
    choices: words?.choices ?? {},
  };
}

/** `headingIds` becomes `Heading ids`. */
function inWords(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}
