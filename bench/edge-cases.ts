import { gatherCorpus, SIZES } from "./markdown-documents.ts";

/** The measured calls: typical small bodies and one large one. They set every field, because the smallest metered Worker has no defaults. */
export type EdgeCase = { name: string; tool: string; body: string; connections: readonly number[] };

/** One connection measures the time of a call; more measure throughput and queueing. */
const SMALL = [1, 10] as const;
const LARGE = [1, 4] as const;

const MARKDOWN = `# Release notes

Version **2.1** is out. See the [list of changes](https://example.com/changes).

- faster start
- \`--json\` for every command
- two faults repaired
`;

export function makeEdgeCases(): EdgeCase[] {
  const size = SIZES.find(({ name }) => name === "100 KB") as (typeof SIZES)[number];
  const large = gatherCorpus().documentsOf(size)[0] as string;
  const small: Record<string, object> = {
    hash: { text: "The quick brown fox jumps", algorithm: "sha256" },
    uuid: { count: 1, uppercase: false },
    echo: { hello: "world", list: [1, 2.5, true, null], nested: { a: 1 } },
    "qr-code": {
      text: "https://example.com/tickets/8f14e45f",
      format: "png",
      errorCorrectionLevel: "M",
      width: 256,
    },
    "markdown-render": { markdown: MARKDOWN, format: "html" },
  };
  return [
    ...Object.entries(small).map(([tool, body]) => ({
      name: tool,
      tool,
      body: JSON.stringify(body),
      connections: SMALL,
    })),
    {
      name: "markdown-render, 100 KB",
      tool: "markdown-render",
      body: JSON.stringify({ markdown: large, format: "html" }),
      connections: LARGE,
    },
  ];
}
