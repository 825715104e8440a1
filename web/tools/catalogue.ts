/**
 * What the list of tools shows without loading the tools, and the initial input of each tool's page. A test checks that
 * names, titles and summaries match the tools.
 */
export type CatalogueEntry = {
  name: string;
  title: string;
  summary: string;
  /** The initial values of the form, where they differ from the defaults. */
  sample: Record<string, string | number | boolean>;
  /** The label of a button that runs the tool, for tools whose result is different each time. Others run on every change. */
  button?: string;
};

const MARKDOWN_SAMPLE = `# Release notes

The **2.1** release is ready. See the [guide](https://example.com/guide).

| Change | Calls | State |
| :--- | ---: | :---: |
| Faster tables | 1,200 | done |
| ~~Old parser~~ | 0 | gone |

- [x] Tables, task lists and footnotes[^1]
- [ ] Publish

> [!NOTE]
> Raw HTML is removed: this is <b>not bold</b>.

[^1]: They are part of GitHub-flavored Markdown.
`;

export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: "markdown-render",
    title: "Markdown",
    summary: "GitHub-flavored Markdown as sanitized HTML.",
    sample: { markdown: MARKDOWN_SAMPLE },
  },
  {
    name: "qr-code",
    title: "QR code",
    summary: "A text as a QR code: PNG, SVG or block characters.",
    sample: { text: "https://example.com/tickets/4711" },
  },
  {
    name: "hash",
    title: "Hash",
    summary: "SHA-1, SHA-256, SHA-384 or SHA-512 of a text.",
    sample: { text: "Hello, world!" },
  },
  {
    name: "uuid",
    title: "UUID",
    summary: "Up to 500 random UUIDs at once.",
    sample: { count: 5 },
    button: "Generate",
  },
  {
    name: "echo",
    title: "Echo",
    summary: "Returns the JSON body it received.",
    sample: { body: '{\n  "hello": "world",\n  "big": 12345678901234567890\n}' },
  },
];

export const findEntry = (name: string): CatalogueEntry | undefined =>
  CATALOGUE.find((entry) => entry.name === name);
