import * as z from "zod/mini";
import { ApiError } from "#errors.ts";
import {
  bodyBytesFor,
  QR_MARGIN_DEFAULT,
  QR_MARGIN_MAX,
  QR_TEXT_BYTES_MAX,
  QR_WIDTH_DEFAULT,
  QR_WIDTH_MAX,
  QR_WIDTH_MIN,
} from "#limits.ts";
import { bytesOfDataUrl, dataUrl } from "../base64.ts";
import { defineTool } from "../define-tool.ts";
import {
  about,
  anyCase,
  anyCaseOption,
  base64Field,
  checkTogether,
  clamp,
  findSourceFaults,
  option,
  readBase64,
  textField,
} from "../fields.ts";
import { utf8Length } from "../text.ts";
import { QR_LEVELS, type QrLevel } from "./capacity.ts";
import { BLACK, CONTRAST_MIN, contrastOf, readColor, readLightColor, WHITE } from "./colors.ts";
import { drawQrSvg, drawQrUtf8, layOutQr } from "./draw.ts";
import { capacitiesFor, encodeQr, type QrSymbol } from "./encode-qr.ts";
import { writeQrPng } from "./png.ts";

/**
 * Encodes text or bytes as a QR code (ISO/IEC 18004) and draws it. The code always has the requested error correction level, and
 * the requested width if the modules fit.
 */
const FORMATS = ["png", "svg", "utf8"] as const;
const ECI = ["auto", "never"] as const;

const input = z
  .strictObject({
    text: z.optional(
      textField(
        QR_TEXT_BYTES_MAX,
        "Payload to encode: up to 4 KB (4,096 bytes) of UTF-8, and no more than a symbol of this level can hold. Required, or `base64` in its place.",
        1,
      ),
    ),
    format: about(
      anyCase(FORMATS, "png"),
      "`png` returns a base64 data URL; `svg` returns SVG markup; `utf8` returns block characters for terminals. In any case.",
    ),
    errorCorrectionLevel: about(
      anyCase(QR_LEVELS, "M"),
      "QR error correction level, in any case: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %.",
    ),
    // The schema has no minimum or maximum, because a number out of range is clamped.
    width: about(
      // Not `_default`, which JSON Schema leaves out before a `transform`.
      z.prefault(z.pipe(z.transform(usableWidth), z.number()), QR_WIDTH_DEFAULT),
      `PNG size in pixels, ${QR_WIDTH_MIN} to ${QR_WIDTH_MAX}; for SVG and UTF-8 a logical width. It is rounded to a whole number and clamped to the range.`,
    ),
    margin: option(
      z.int().check(z.minimum(0), z.maximum(QR_MARGIN_MAX)),
      QR_MARGIN_DEFAULT,
      "Quiet zone on each side, in modules. Scanners expect 4: with fewer, put the code on a light background.",
    ),
    dark: option(
      colorField(readColor, "must be a color as `#rgb` or `#rrggbb`"),
      BLACK,
      "Color of the dark modules: `#rgb` or `#rrggbb`, in any case. Not for `utf8`.",
    ),
    light: option(
      colorField(readLightColor, "must be a color as `#rgb` or `#rrggbb`, or `transparent`"),
      WHITE,
      `Color of the light modules and the quiet zone, or \`transparent\`, which stands for a white background. \`dark\` must be darker by at least ${CONTRAST_MIN} % of the brightness of white. Not for \`utf8\`.`,
    ),
    base64: base64Field(
      "Bytes in place of `text`, in base64. Up to 4 KB, in either alphabet (RFC 4648). Line breaks are ignored, and the padding may be left out.",
      1,
    ),
    eci: anyCaseOption(
      ECI,
      "auto",
      "`auto` marks text beyond ASCII as UTF-8 (ECI 26), `never` leaves the mark out. Bytes never have one. In any case.",
    ),
    invert: option(
      z.boolean(),
      false,
      "Exchanges dark and light, for dark terminals. Only for `utf8`: the light modules are then blocks.",
    ),
  })
  .check(
    checkTogether(["text", "base64"], findSourceFaults),
    checkTogether(["format", "dark", "light"], findColorFaults),
    checkTogether(["format", "invert"], findInvertFault),
  );

const output = z.strictObject({
  ok: about(z.literal(true), "True on success."),
  format: about(z.enum(FORMATS), "Format returned."),
  errorCorrectionLevel: about(z.enum(QR_LEVELS), "The level used."),
  width: about(
    z.int(),
    "The width used, after clamping. It is larger than requested only if the modules do not fit at one pixel each.",
  ),
  mimeType: about(
    z.enum(["image/png", "image/svg+xml", "text/plain"]),
    "Media type of the output.",
  ),
  output: about(
    z.string(),
    "Base64 data URL (png), SVG markup (svg) or block-character text (utf8).",
  ),
  margin: about(
    z.optional(z.int()),
    "Quiet zone of the image in whole modules; only if the request named a margin. A PNG may have more, and has less where `width` is too small for it.",
  ),
  dark: about(
    z.optional(z.string()),
    "Color of the dark modules as `#rrggbb`; only if the request named one.",
  ),
  light: about(
    z.optional(z.string()),
    "Color of the light modules as `#rrggbb`, or `transparent`; only if the request named one.",
  ),
  eci: about(z.optional(z.enum(ECI)), "As in the request; only if the request named it."),
  invert: about(z.optional(z.boolean()), "As in the request; only if the request named it."),
});

type Input = z.infer<typeof input>;
type Output = z.infer<typeof output>;

export default defineTool({
  name: "qr-code",
  operation: "createQrCode",
  title: "QR code",
  summary: "Text or bytes as a QR code: PNG, SVG or block characters.",
  description:
    "Encodes `text`, or the bytes in `base64`, as a QR code. The quiet zone is four modules, or `margin`; it is narrower only if a PNG is too small for it. In `utf8`, dark modules are blocks, so show the text dark on light, or set `invert`.",
  agents: {
    fields: {
      format: "`png` returns an image, `svg` SVG markup, `utf8` block characters for terminals.",
    },
  },
  price: 1,
  effect: "none",
  input,
  output,
  body: "required",
  bodyBytesMax: bodyBytesFor(QR_TEXT_BYTES_MAX),
  fieldBytesMax: { text: QR_TEXT_BYTES_MAX },
  rawBody: {
    field: "text",
    types: ["text/plain", "application/octet-stream"],
    octets: false,
    octetsField: "base64",
    standIns: ["base64"],
  },
  representations: [
    { type: "image/png", fields: { format: "png" }, write: ({ output }) => bytesOfDataUrl(output) },
    { type: "image/svg+xml", fields: { format: "svg" }, write: ({ output }) => output },
    {
      type: "text/plain",
      // Text has no colors, so a client that sends one gets 406.
      fields: { format: "utf8", dark: undefined, light: undefined },
      write: ({ output }) => output,
    },
  ],
  heavyFromBytes: 192,
  browser: true,
  examples: [
    {
      name: "a PNG; a width out of range is clamped",
      request: { text: "HELLO WORLD", width: 10 },
      response: {
        ok: true,
        format: "png",
        errorCorrectionLevel: "M",
        width: 64,
        mimeType: "image/png",
        output:
          "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAiklEQVR42rXGoRWDMBQF0F+TrNCYshqYsAI1P0WxQhRZLSpvhWKSCipezsFy1ZX2d2eyqBfLQR01gFOM+nG+SBdv+qAurwBOFu/Fck6c4t9A4nwtEsBpn8c+NU522xoHzpHdbmZOa0W1S5aAGDioi7rGKWYqYvuoS6nP+HTgoIb12DhZpjiAc7oxP8ARjI4BgCXfAAAAAElFTkSuQmCC",
      },
    },
    {
      name: "SVG at the highest level",
      request: {
        text: "HELLO",
        format: "svg",
        errorCorrectionLevel: "H",
        width: 200,
      },
      response: {
        ok: true,
        format: "svg",
        errorCorrectionLevel: "H",
        width: 200,
        mimeType: "image/svg+xml",
        output:
          '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 29 29" shape-rendering="crispEdges"><rect width="29" height="29" fill="#fff" style="fill:#fff;fill-opacity:1;stroke:none;opacity:1"/><path fill="#000" style="fill:#000;fill-opacity:1;stroke:none;opacity:1" d="M4 4h7v7h-7zm9 0h1v1h-1zm3 0h1v1h-1zm2 0h7v7h-7zm-4 1h1v1h-1zm-8 1h3v3h-3zm10 0h1v3h-1v1h-1v1h-1v-1h-1v-1h-1v-1h1v-1h2v1h-1v1h1v-1h1zm4 0h3v3h-3zm-15 4h5v-5h-5zm7 0h1v1h1v1h-1v1h1v1h-2v-1h-2v-1h2zm4 0h1v2h2v1h-1v1h-1v2h1v1h-2v-2h-2v-1h1v-1h-1v-1h2zm3 0h5v-5h-5zm-13 2h2v1h-1v1h1v-1h2v1h-1v1h1v1h3v-1h1v1h1v2h-2v1h-1v-2h-5v-1h1v-1h-1v1h-2v1h-1v-2h2v-1h-1v-1h1zm14 0h1v1h-1zm-1 1h1v1h1v1h-2zm2 0h4v1h-2v1h1v1h-1v1h1v1h1v3h-1v-2h-1v-1h-1v-4h-1zm-11 1h1v1h-1zm8 1h1v1h-1zm2 1h1v1h-1zm-1 1h1v1h-1zm-15 1h7v7h-7zm12 0h1v1h1v1h1v2h-1v3h-1v-2h-1v-3h-1v-1h1zm4 0h1v1h-1zm-7 1h1v2h-1zm8 0h1v2h-1zm-15 1h3v3h-3zm6 1h1v2h-1zm8 0h1v2h1v1h-2zm3 0h1v1h-1zm-9 1h1v2h-2v-1h1zm8 0h1v1h-1zm-17 2h5v-5h-5zm14 0h1v1h-1zm4 0h1v1h-1z"/></svg>',
      },
    },
    {
      name: "block characters",
      request: { text: "HI", format: "utf8", errorCorrectionLevel: "L" },
      response: {
        ok: true,
        format: "utf8",
        errorCorrectionLevel: "L",
        width: 256,
        mimeType: "text/plain",
        output:
          "                             \n                             \n    █▀▀▀▀▀█ ██▀██ █▀▀▀▀▀█    \n    █ ███ █  █▀█▄ █ ███ █    \n    █ ▀▀▀ █ █ ▄ ▀ █ ▀▀▀ █    \n    ▀▀▀▀▀▀▀ █▄█▄▀ ▀▀▀▀▀▀▀    \n    ▀█▀ ▄▀▀▄▀█▀▀▀▀▀▀▀  ██    \n    ▄█▄▀▄ ▀▄▄▄▀ ▄ ▀ ▄▀▀      \n       ▀ ▀▀ ██▄▄ ▄█▄ ████    \n    █▀▀▀▀▀█ ▄▄██▀█▄█▀█▄█▀    \n    █ ███ █  ▄▀▀▀▀▀▀▀▀▀▀▀    \n    █ ▀▀▀ █ ██  ▄ ▀ ▄ ▀▀█    \n    ▀▀▀▀▀▀▀ ▀ ▀   ▀   ▀▀▀    \n                             \n                             ",
      },
    },
    {
      name: "a PNG in color, with a narrow margin",
      request: { text: "A1", width: 69, margin: 1, dark: "#036", light: "transparent" },
      response: {
        ok: true,
        format: "png",
        errorCorrectionLevel: "M",
        width: 69,
        mimeType: "image/png",
        output:
          "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEUAAABFCAMAAAArU9sbAAAABlBMVEUAM2b///9dFfVUAAAAAnRSTlP/AOW3MEoAAAE6SURBVHjarcDBaQNADADBWfVfdEBwEINDPhpdGBfGBZVvWp6Wb6pxYVxQoU+oUFkt9AnVuDAuqFB5KrRQWRUqT4VqXBgXVKg8FXqsFipPhWpcGBdUqDwVKrSsCpWnQjUujAsq9Ak9Vgt9QjUujAsq31SoUKHyTTUujAv6D/rPuDAuqFChQoWWVaEHLbTGhXFBhcqq0C9WhQoVWqjGhXFBhQoVKlRWhcrTQoVqXBgXVKisChV6PJWnQmtcGBdUaKGFFipUnpbVGhfGBf0NFXrQg55xYVxQ+aZlVehBD6pxYVxQoU9oWT3oQc+4MC6oUHkqVFYLFSpUqFCNC+OCCpWnQstToUKFCq1xYVxQofJUqPxSeSqrQjUujAsq9AktVJ7KU1nVuDAuqHxToYXKU1kVqnFhXNCFcWFc+AEeRgPq1T5dIgAAAABJRU5ErkJggg==",
        margin: 1,
        dark: "#003366",
        light: "transparent",
      },
    },
  ],
  page: {
    sample: { text: "https://example.com/tickets/4711" },
    // Bytes are for programs; a page has text.
    controls: { dark: "color", light: "color", base64: "none" },
  },
  run(request) {
    const { text = "", base64, format, errorCorrectionLevel, eci } = request;
    const content = base64 === undefined ? text : readBase64(base64, QR_TEXT_BYTES_MAX);
    const symbol = encodeQr(content, errorCorrectionLevel, eci);
    if (symbol === undefined) throw tooLong(content, errorCorrectionLevel, eci);
    const { margin, ...drawn } = DRAWERS[format](symbol, request);
    return {
      ok: true as const,
      format,
      errorCorrectionLevel,
      ...drawn,
      ...(request.margin !== undefined && { margin }),
      ...(request.dark !== undefined && { dark: request.dark }),
      ...(request.light !== undefined && { light: request.light }),
      ...(eci !== undefined && { eci }),
      ...(request.invert !== undefined && { invert: request.invert }),
    };
  },
});

type Drawn = Pick<Output, "width" | "mimeType" | "output"> & { margin: number };

const DRAWERS: Record<Input["format"], (symbol: QrSymbol, request: Input) => Drawn> = {
  png(symbol, { width, margin, dark, light }) {
    const layout = layOutQr(symbol.size, width, margin);
    const mimeType = "image/png";
    return {
      width: layout.width,
      mimeType,
      output: dataUrl(mimeType, writeQrPng(symbol, layout, { dark, light })),
      margin: Math.floor(layout.offset / layout.scale),
    };
  },
  svg: (symbol, { width, margin = QR_MARGIN_DEFAULT, dark, light }) => ({
    width,
    mimeType: "image/svg+xml",
    output: drawQrSvg(symbol, width, { margin, dark, light }),
    margin,
  }),
  utf8: (symbol, { width, margin = QR_MARGIN_DEFAULT, invert }) => ({
    width,
    mimeType: "text/plain",
    output: drawQrUtf8(symbol, margin, invert),
    margin,
  }),
};

/** The output has the color as `read` returns it. */
function colorField(read: (text: string) => string | undefined, error: string) {
  return z.pipe(
    z.string().check(z.refine((text) => read(text) !== undefined, { error })),
    z.transform((text: string) => read(text) ?? text),
  );
}

function findColorFaults({ format, dark, light }: Pick<Input, "format" | "dark" | "light">) {
  const fields = [
    ...(dark === undefined ? [] : ["dark"]),
    ...(light === undefined ? [] : ["light"]),
  ];
  if (format === "utf8") {
    const fault = "must be left out for `utf8`, which has no colors";
    return Object.fromEntries(fields.map((field) => [field, fault]));
  }
  const contrast = contrastOf(dark ?? BLACK, light ?? WHITE);
  const [field] = fields;
  if (field === undefined || contrast >= CONTRAST_MIN) return {};
  const relation = field === "dark" ? "darker than `light`" : "lighter than `dark`";
  const fault =
    contrast <= 0
      ? `must be ${relation}: many scanners cannot read light modules on a dark background`
      : `must be ${relation} by at least ${CONTRAST_MIN} % of the brightness of white, so that scanners can read it; got ${Math.floor(contrast)} %`;
  return { [field]: fault };
}

/** `false` changes nothing, and clients that send every field send it. */
function findInvertFault({ format, invert }: Pick<Input, "format" | "invert">) {
  return invert !== true || format === "utf8"
    ? {}
    : {
        invert: `must be left out for \`${format}\`: many scanners cannot read light modules on a dark background`,
      };
}

/** `1e400` parses as infinity, which is clamped like any other large number. */
function usableWidth(width: unknown): unknown {
  if (typeof width !== "number" || Number.isNaN(width)) return width;
  return clamp(Math.round(width), QR_WIDTH_MIN, QR_WIDTH_MAX);
}

function tooLong(content: string | Uint8Array, level: QrLevel, eci: Input["eci"]): ApiError {
  const isText = typeof content === "string";
  const bytes = isText ? utf8Length(content) : content.length;
  const [field, unit, noun] = isText
    ? ["text", "bytes of UTF-8", "this text"]
    : ["base64", "bytes", "these bytes"];
  const capacities = capacitiesFor(content, eci);
  // The highest level at which everything fits. Levels above the requested one hold less.
  const fits = QR_LEVELS.findLast((other) => capacities[other] === bytes) ?? null;
  const held = QR_LEVELS.map(
    (other) => `${other} ${capacities[other] === bytes ? "all" : `${capacities[other]} bytes`}`,
  ).join(", ");
  const detail = `is ${bytes} ${unit}; level ${level} holds only the first ${capacities[level]} bytes`;
  const shorten = isText ? "Shorten the text" : "Send fewer bytes";
  const advice =
    fits === null
      ? `It fits at no level: ${shorten.toLowerCase()}.`
      : `${shorten}, or request level ${fits}.`;
  return new ApiError(
    "text_too_long_for_level",
    `\`${field}\` ${detail}. Capacity for ${noun}: ${held}. ${advice}`,
    {
      errors: [{ pointer: `/${field}`, detail }],
      members: { bytes, capacities, fits },
    },
  );
}
