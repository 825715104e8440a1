/**
 * What the list of tools shows without loading the tools, and what each page shows first. That names, titles and
 * summaries are those of the tools is tested.
 */
export type CatalogueEntry = {
  name: string;
  title: string;
  summary: string;
  /** What the form holds when the page is opened, beside the defaults. */
  sample: Record<string, string | number | boolean>;
  /** Where every answer is another one, it is made on a button of this label and not at every change. */
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
> Raw HTML is taken out: this is <b>not bold</b>.

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
