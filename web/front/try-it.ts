import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { shellQuote } from "#site/request-code.ts";
import { drawQrSvg } from "#tools/qr-code/draw.ts";
import { encodeQr } from "#tools/qr-code/encode-qr.ts";

/** The results update after a pause in typing. */
const PAUSE_MS = 120;
const LEVEL = "M";

/** The elements that depend on the text. The server renders each of them with an example. */
type Parts = Record<"hint" | "qr" | "qr-note" | "hash" | "fault" | "body", HTMLElement>;

/** Makes the example on the front page interactive. */
export function startTryIt(island: HTMLElement): void {
  const field = island.querySelector("textarea");
  if (field === null) return;
  const parts = Object.fromEntries(
    [...island.querySelectorAll<HTMLElement>("[data-try]")].map((part) => [
      part.dataset["try"],
      part,
    ]),
  ) as Parts;
  let timer = 0;
  field.readOnly = false;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(field.value, parts), PAUSE_MS);
  });
  // The browser may have restored text that was typed before the page was left.
  if (field.value !== field.defaultValue) show(field.value, parts);
}

function show(text: string, parts: Parts): void {
  parts.body.textContent = shellQuote(JSON.stringify({ text }));
  const isText = text.isWellFormed();
  parts.hash.textContent = isText ? bytesToHex(sha256(utf8ToBytes(text))) : "none";
  const symbol = isText && text !== "" ? encodeQr(text, LEVEL) : undefined;
  const image = parts.qr as HTMLImageElement;
  image.hidden = symbol === undefined;
  if (symbol !== undefined) {
    image.src = `data:image/svg+xml,${encodeURIComponent(drawQrSvg(symbol, Number(image.getAttribute("width"))))}`;
  }
  parts["qr-note"].textContent = symbol === undefined ? "None" : `Level ${LEVEL}, as SVG`;
  parts.fault.textContent = isText ? qrError(text, symbol !== undefined) : LONE_SURROGATE;
}

const LONE_SURROGATE =
  "The text contains half of a surrogate pair, which cannot be encoded as UTF-8. The API rejects it without charging you.";

function qrError(text: string, isDrawn: boolean): string {
  if (isDrawn) return "";
  return text === ""
    ? "A QR code needs some text. The hash shown is that of an empty text."
    : `The text is too long for a QR code at level ${LEVEL}. Shorten it to see one.`;
}
