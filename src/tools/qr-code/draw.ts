import { QR_MARGIN_DEFAULT } from "#limits.ts";
import { BLACK, shortColor, TRANSPARENT, WHITE } from "./colors.ts";
import type { QrSymbol } from "./encode-qr.ts";
import { outlinePath } from "./outline.ts";

/**
 * Draws a symbol as pixels, SVG or block characters. `margin` is the quiet zone on each side, in modules; ISO/IEC 18004,
 * section 5.3.8, requires 4.
 */

/** `width` pixels in total, `scale` pixels per module, `offset` pixels before the first module. */
export type QrLayout = { width: number; scale: number; offset: number };

/**
 * Lays out a symbol of `size` modules in `width` pixels. Every module has a whole number of pixels, because a
 * fractional scale makes modules uneven and scanners fail. The result is wider than `width` only if the modules do not
 * fit.
 */
export function layOutQr(size: number, width: number, margin = QR_MARGIN_DEFAULT): QrLayout {
  const full = size + 2 * margin;
  let scale = Math.floor(width / full);
  // Below 2 pixels per module many scanners fail; they tolerate a narrow quiet zone better.
  if (scale < 2) scale = Math.min(2, Math.floor(width / size));
  if (scale < 1) return { width: 2 * full, scale: 2, offset: 2 * margin };
  return { width, scale, offset: Math.floor((width - size * scale) / 2) };
}

/**
 * Returns a standalone SVG document, `width` wide and high, whose units are modules. The shapes also have a `style`, which the
 * rules of a page for `path`, `svg *` or an inherited `stroke` do not overrule where the document is part of the page.
 */
export function drawQrSvg(
  symbol: QrSymbol,
  width: number,
  { margin = QR_MARGIN_DEFAULT, dark = BLACK, light = WHITE } = {},
): string {
  const full = symbol.size + 2 * margin;
  const background =
    light === TRANSPARENT ? "" : `<rect width="${full}" height="${full}" ${filled(light)}/>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${width}" viewBox="0 0 ${full} ${full}" shape-rendering="crispEdges">` +
    `${background}<path ${filled(dark)} d="${outlinePath(symbol, margin)}"/></svg>`
  );
}

function filled(color: string): string {
  const short = shortColor(color);
  return `fill="${short}" style="fill:${short};fill-opacity:1;stroke:none;opacity:1"`;
}

/**
 * Two rows of modules per line, including the quiet zone; a block is dark, a space is light. `invert` exchanges them, for light
 * text on a dark background.
 */
export function drawQrUtf8(
  { size, dark }: QrSymbol,
  margin = QR_MARGIN_DEFAULT,
  invert = false,
): string {
  const side = (invert ? "█" : " ").repeat(margin);
  const isBlock = (x: number, y: number) =>
    (y >= 0 && y < size && dark[y * size + x] === 1) !== invert;
  const lines: string[] = [];
  // A symbol has an odd number of rows: below the last there is one more row of quiet zone.
  for (let y = -margin; y < size + margin; y += 2) {
    let line = side;
    for (let x = 0; x < size; x++) {
      const top = isBlock(x, y);
      const bottom = isBlock(x, y + 1);
      line += top ? (bottom ? "█" : "▀") : bottom ? "▄" : " ";
    }
    lines.push(line + side);
  }
  return lines.join("\n");
}
