import { curlKey, curlLines, shellQuote } from "#site/request-code.ts";

export type CurlCall = {
  code: string;
  /** Whether the body must first be saved as `input.json`. */
  needsFile: boolean;
};

/** Longer bodies are unreadable in a command, and some shells reject them. */
const INLINE_BYTES_MAX = 2048;

export const INPUT_FILE = "input.json";

/** The curl command that sends `body` to `url`. */
export function curlCall(url: string, body: Uint8Array): CurlCall {
  const needsFile = body.byteLength > INLINE_BYTES_MAX || body.includes(0);
  const sent = needsFile
    ? `--data-binary @${INPUT_FILE}`
    : // Not -d, which treats text that begins with @ as a file name.
      `--data-raw ${shellQuote(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body))}`;
  const code = curlLines(url, [
    `-H ${curlKey()}`,
    '-H "Content-Type: application/json"',
    body.byteLength === 0 ? "-X POST" : sent,
  ]);
  return { code, needsFile };
}
