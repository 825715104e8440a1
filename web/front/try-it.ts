import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { shellQuote } from "#site/request-code.ts";
import { drawQrSvg } from "#tools/qr-code/draw.ts";
import { encodeQr } from "#tools/qr-code/encode-qr.ts";

/** The results follow when the user pauses for this long. */
const PAUSE_MS = 120;
const LEVEL = "M";

/** The elements that follow the text. The server has rendered each of them for an example. */
type Parts = Record<"hint" | "qr" | "qr-note" | "hash" | "fault" | "body", HTMLElement>;

/** Lets the example on the front page take any text. */
export function startTrying(island: HTMLElement): void {
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
  // The browser may have restored text that was typed before.
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
  parts.fault.textContent = isText ? qrFault(text, symbol !== undefined) : NO_UTF8_FORM;
}

const NO_UTF8_FORM =
  "The text contains half of a surrogate pair, which has no UTF-8 form. The API rejects it with an error, which costs nothing.";

function qrFault(text: string, isDrawn: boolean): string {
  if (isDrawn) return "";
  return text === ""
    ? "A QR code needs a text. The hash is that of the empty text."
    : `The text is too long for a QR code at level ${LEVEL}. Shorten it to see one.`;
}
