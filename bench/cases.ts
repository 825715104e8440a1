import { makeRequest } from "./load.ts";
import { gatherCorpus, SIZES } from "./markdown-documents.ts";
import { textsOf } from "./qr-tasks.ts";

/** The calls of the part `throughput`: every contender gets the same bodies over the same number of connections. */
export type Case<Contender extends string = string> = {
  name: string;
  connections: number;
  requests: Record<Contender, Buffer[]>;
};

const BODY_BYTES = 60;

/** White space pads the bodies, so that all small calls have the same size. */
export const SMALL_BODIES = {
  hash: '{"text":"The quick brown fox jumps","algorithm":"sha256"}'.padEnd(BODY_BYTES),
  uuid: '{"count":1,"uppercase":false}'.padEnd(BODY_BYTES),
  echo: '{"hello":"world","list":[1,2.5,true,null],"nested":{"a":1}}'.padEnd(BODY_BYTES),
};

const QR_TEXTS = 16;

type CaseBodies = {
  name: string;
  tool: string;
  bodies: readonly string[];
  connections: number;
  isManyAccounts?: true;
};

function listCases(): CaseBodies[] {
  const { hash, uuid, echo } = SMALL_BODIES;
  const corpus = gatherCorpus();
  const markdown = (name: (typeof SIZES)[number]["name"]) =>
    corpus
      .documentsOf(SIZES.find((size) => size.name === name) as (typeof SIZES)[number])
      .map((text) => JSON.stringify({ markdown: text }));
  const qr = (format: "png" | "svg", width: number) =>
    textsOf("url", QR_TEXTS, 0).map((text) => JSON.stringify({ text, format, width }));
  const many = { isManyAccounts: true } as const;
  return [
    { name: "hash", tool: "hash", bodies: [hash], connections: 64 },
    { name: "uuid", tool: "uuid", bodies: [uuid], connections: 64 },
    { name: "echo", tool: "echo", bodies: [echo], connections: 64 },
    { name: "hash, 1,000 accounts", tool: "hash", bodies: [hash], connections: 64, ...many },
    { name: "hash, 256 connections", tool: "hash", bodies: [hash], connections: 256 },
    {
      name: "hash, 256 connections, 1,000 accounts",
      tool: "hash",
      bodies: [hash],
      connections: 256,
      ...many,
    },
    {
      name: "markdown-render, 1 KB",
      tool: "markdown-render",
      bodies: markdown("1 KB"),
      connections: 64,
    },
    // An account may have no more concurrent large calls.
    {
      name: "markdown-render, 100 KB",
      tool: "markdown-render",
      bodies: markdown("100 KB"),
      connections: 4,
    },
    { name: "qr-code, SVG", tool: "qr-code", bodies: qr("svg", 256), connections: 64 },
    { name: "qr-code, PNG of 256 px", tool: "qr-code", bodies: qr("png", 256), connections: 64 },
  ];
}

/** `keys`: a key for each account, by contender. Cases without many accounts use the first. */
export function createCases<Contender extends string>(
  keys: Readonly<Record<Contender, readonly string[]>>,
): Case<Contender>[] {
  return listCases().map(({ name, tool, bodies, connections, isManyAccounts }) => {
    const path = `/api/v1/${tool}`;
    const requestsWith = (own: readonly string[]) =>
      isManyAccounts
        ? own.map((key, i) => makeRequest(path, bodies[i % bodies.length] as string, key))
        : bodies.map((body) => makeRequest(path, body, own[0]));
    const requests = Object.fromEntries(
      Object.entries<readonly string[]>(keys).map(([one, own]) => [one, requestsWith(own)]),
    ) as Record<Contender, Buffer[]>;
    return { name, connections, requests };
  });
}
