import { curlKey, curlLines, shellQuote } from "#site/request-code.ts";

/** The same call for a shell. */
export type CurlCall = {
  code: string /** Whether the body is to be saved as `input.json` first. */;
  needsFile: boolean;
};

/** Longer bodies are unreadable in a command, and some shells refuse them. */
const INLINE_BYTES_MAX = 2048;

export const INPUT_FILE = "input.json";

export function curlCall(url: string, body: Uint8Array): CurlCall {
  const needsFile = body.byteLength > INLINE_BYTES_MAX || body.includes(0);
  const sent = needsFile
    ? `--data-binary @${INPUT_FILE}`
    : // Not -d, which takes a text that begins with @ for the name of a file.
      `--data-raw ${shellQuote(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body))}`;
  const code = curlLines(url, [
    `-H ${curlKey()}`,
    '-H "Content-Type: application/json"',
    body.byteLength === 0 ? "-X POST" : sent,
  ]);
  return { code, needsFile };
}
