import { createRequire } from "node:module";

/**
 * The contenders of the part `qr`, each used as its documentation says, at level M with a quiet zone of four modules. They
 * are loaded only when opened, so that a process contains one engine. qr and uqr write no PNG and use one mode for the
 * complete text, so their symbols of mixed texts can be larger.
 */
export type QrEngine = {
  /** The modules, in the engine's own form. */
  matrix(text: string): unknown;
  svg(text: string): string;
  utf8(text: string): string;
  /** A data URL. */
  png?(text: string, width: number): string | Promise<string>;
};

export const OURS = "toolbooth";
export const NODE_QRCODE = "qrcode";

export const QR_ENGINES: Readonly<Record<string, () => Promise<QrEngine>>> = {
  async [OURS]() {
    const { encodeQr } = await import("#tools/qr-code/encode-qr.ts");
    const { drawQrSvg, drawQrUtf8, layOutQr } = await import("#tools/qr-code/draw.ts");
    const { writeQrPng } = await import("#tools/qr-code/png.ts");
    const { dataUrl } = await import("#tools/base64.ts");
    const symbolOf = (text: string) => encodeQr(text, "M") ?? refuse(text);
    return {
      matrix: symbolOf,
      svg: (text) => drawQrSvg(symbolOf(text), 256),
      utf8: (text) => drawQrUtf8(symbolOf(text)),
      png(text, width) {
        const symbol = symbolOf(text);
        return dataUrl("image/png", writeQrPng(symbol, layOutQr(symbol.size, width)));
      },
    };
  },
  async [NODE_QRCODE]() {
    const { create, toString: draw, toDataURL } = nodeQrcode();
    const shared = { errorCorrectionLevel: "M", margin: 4 };
    const drawn = (text: string, type: string) => {
      let response = "";
      // For text, the callback runs before the call returns.
      draw(text, { ...shared, type, width: 256 }, (error, output) => {
        if (error) throw error;
        response = output;
      });
      return response;
    };
    return {
      matrix: (text) => create(text, shared),
      svg: (text) => drawn(text, "svg"),
      utf8: (text) => drawn(text, "utf8"),
      png: (text, width) => toDataURL(text, { ...shared, width }),
    };
  },
  async qr() {
    const { encodeQR } = await import("qr");
    const drawn = { ecc: "medium", border: 4 } as const;
    return {
      // The minimum border is 1.
      matrix: (text) => encodeQR(text, "raw", { ecc: "medium", border: 1 }),
      svg: (text) => encodeQR(text, "svg", drawn),
      utf8: (text) => encodeQR(text, "ascii", drawn),
    };
  },
  async uqr() {
    const { encode, renderSVG, renderUnicodeCompact } = await import("uqr");
    const drawn = { ecc: "M", border: 4 } as const;
    return {
      matrix: (text) => encode(text, { ecc: "M", border: 0 }),
      svg: (text) => renderSVG(text, drawn),
      utf8: (text) => renderUnicodeCompact(text, drawn),
    };
  },
};

function refuse(text: string): never {
  throw new Error(`No symbol can hold these ${text.length} characters`);
}

type NodeQrcode = {
  create(text: string, options: object): unknown;
  toString(
    text: string,
    options: object,
    callback: (error: Error | null, output: string) => void,
  ): void;
  toDataURL(text: string, options: object): Promise<string>;
};

/** The package has no types. */
function nodeQrcode(): NodeQrcode {
  return createRequire(import.meta.url)("qrcode") as NodeQrcode;
}
