import { basePath } from "./page-links.ts";

/** The operator's own pages by their names, such as `terms`: Markdown, or for `status` a URL. */
export type LegalSources = Readonly<Partial<Record<LegalName, string>>>;

/** What an operator can publish, with the labels of the links in the order of the footer. */
export const LEGAL_LABELS = {
  terms: "Terms",
  privacy: "Privacy",
  refunds: "Refunds",
  security: "Security",
  imprint: "Imprint",
  status: "Status",
} as const;
export type LegalName = keyof typeof LEGAL_LABELS;
export const LEGAL_NAMES = Object.keys(LEGAL_LABELS) as LegalName[];

/** The names that have a page of their own; `status` is a link. */
export const LEGAL_PATHS = LEGAL_NAMES.filter((name) => name !== "status").map(
  (name) => `/${name}`,
);

/** Larger than any terms, and rendered within milliseconds. In bytes. */
export const LEGAL_BYTES_MAX = 256 * 1024;

/**
 * Checks the bytes of one file. `problem` completes the sentence "<file> is not published: …". Both are null where the file is
 * empty, which is the same as none.
 */
export function readLegalSource(
  name: LegalName,
  bytes: Uint8Array,
): { text: string | null; problem: string | null } {
  const rejected = (problem: string) => ({ text: null, problem });
  if (bytes.byteLength > LEGAL_BYTES_MAX)
    return rejected(`it has ${bytes.byteLength} bytes, and at most ${LEGAL_BYTES_MAX} are allowed`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch {
    return rejected("it is not UTF-8 text");
  }
  if (text === "") return { text: null, problem: null };
  if (name === "status" && !/^https?:\/\/[^\s"<>]+$/.test(text))
    return rejected("it must hold one line, the http or https URL of a status page");
  return { text, problem: null };
}

/** The links that the footer shows: address and label. */
export const legalLinks = ({
  legal = {},
  publicUrl,
}: {
  legal?: LegalSources | undefined;
  publicUrl: string;
}): [string, string][] =>
  LEGAL_NAMES.flatMap((name) => {
    const text = legal[name];
    if (text === undefined) return [];
    const href = name === "status" ? text : `${basePath(publicUrl)}/${name}`;
    return [[href, LEGAL_LABELS[name]] as [string, string]];
  });
