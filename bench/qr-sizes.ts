import { deflateSync, inflateSync } from "node:zlib";
import { NODE_QRCODE, OURS, QR_ENGINES } from "./peers/qr-engines.ts";
import { PNG_WIDTHS, type TextKind, textsOf } from "./qr-tasks.ts";

/** Compares the size of responses with node-qrcode, and of PNG rows with zlib at its highest level. */
export type QrSize = {
  response: string;
  text: TextKind;
  /** Means over the texts; for PNGs of the complete file. */
  ours: number;
  nodeQrcode: number;
  /** The compressed rows alone: Toolbooth's, and zlib's of the same rows. */
  data?: number;
  zlib?: number;
  /** The worst ratio of Toolbooth's size to zlib's. */
  worst?: number;
};

const KINDS: readonly TextKind[] = ["url", "1 KB mixed", "version 40 bytes"];
/** node-qrcode takes 100 ms for a large PNG. */
const TEXTS_EACH = 4;

export async function measureSizes(): Promise<QrSize[]> {
  const ours = await open(OURS);
  const theirs = await open(NODE_QRCODE);
  const sizes: QrSize[] = [];
  for (const text of KINDS) {
    const texts = textsOf(text, TEXTS_EACH, 0);
    for (const width of PNG_WIDTHS) {
      const files: Buffer[] = [];
      for (const one of texts) files.push(fileOf(await ours.png?.(one, width)));
      const rows = files.map(compareToZlib);
      let nodeQrcode = 0;
      for (const one of texts) nodeQrcode += fileOf(await theirs.png?.(one, width)).length;
      sizes.push({
        response: `png ${width}`,
        text,
        nodeQrcode: nodeQrcode / texts.length,
        ours: mean(files.map((file) => file.length)),
        data: mean(rows.map(({ data }) => data)),
        zlib: mean(rows.map(({ zlib }) => zlib)),
        worst: Math.max(...rows.map(({ data, zlib }) => data / zlib)),
      });
    }
    for (const format of ["svg", "utf8"] as const) {
      const bytes = (engine: typeof ours) =>
        mean(texts.map((one) => Buffer.byteLength(engine[format](one))));
      sizes.push({ response: format, text, ours: bytes(ours), nodeQrcode: bytes(theirs) });
    }
  }
  return sizes;
}

function open(name: string) {
  const engine = QR_ENGINES[name]?.();
  if (engine === undefined) throw new Error(`Unknown contender "${name}"`);
  return engine;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function fileOf(dataUrl: string | undefined): Buffer {
  return Buffer.from(dataUrl?.split(",")[1] ?? "", "base64");
}

/** Compares the compressed rows of a PNG with zlib's of the same unfiltered rows. */
function compareToZlib(png: Buffer): { data: number; zlib: number } {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) !== "IDAT") continue;
    data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const all = Buffer.concat(data);
  return { data: all.length, zlib: deflateSync(inflateSync(all), { level: 9 }).length };
}
