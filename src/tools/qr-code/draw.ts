import type { QrSymbol } from "./encode-qr.ts";

/**
 * Draws a symbol as pixels, SVG or block characters. ISO/IEC 18004, section 5.3.8, requires a quiet zone of 4 modules
 * on all sides.
 */
const QUIET_MODULES = 4;

/** `width` pixels in total, `scale` pixels per module, `offset` pixels before the first module. */
export type QrLayout = { width: number; scale: number; offset: number };

/**
 * Lays out a symbol of `size` modules in `width` pixels. Every module has a whole number of pixels, because a
 * fractional scale makes modules uneven and scanners fail. The result is wider than `width` only if the modules do not
 * fit.
 */
export function layOutQr(size: number, width: number): QrLayout {
  const full = size + 2 * QUIET_MODULES;
  let scale = Math.floor(width / full);
  // Below 2 pixels per module many scanners fail; they tolerate a narrow quiet zone better.
  if (scale < 2) scale = Math.floor(width / size);
  if (scale < 1) return { width: 2 * full, scale: 2, offset: 2 * QUIET_MODULES };
  return { width, scale, offset: Math.floor((width - size * scale) / 2) };
}

/** Returns a standalone SVG document, `width` wide and high, whose units are modules. */
export function drawQrSvg({ size, dark }: QrSymbol, width: number): string {
  const full = size + 2 * QUIET_MODULES;
  let path = "";
  for (let y = 0; y < size; y++) {
    // The stroke follows the middle of the row of modules and is one module wide.
    let lastX = -1;
    for (let x = 0; x < size; x++) {
      if (dark[y * size + x] === 0) continue;
      const start = x;
      while (x < size && dark[y * size + x] === 1) x++;
      path +=
        lastX < 0 ? `M${start + QUIET_MODULES} ${y + QUIET_MODULES}.5` : `m${start - lastX} 0`;
      path += `h${x - start}`;
      lastX = x;
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${width}" viewBox="0 0 ${full} ${full}" shape-rendering="crispEdges">` +
    `<rect width="${full}" height="${full}" fill="#fff"/><path stroke="#000" d="${path}"/></svg>`
  );
}

/** Two rows of modules per line, including the quiet zone; a block is dark, a space is light. */
export function drawQrUtf8({ size, dark }: QrSymbol): string {
  const side = " ".repeat(QUIET_MODULES);
  const quietLine = " ".repeat(size + 2 * QUIET_MODULES);
  const quietLines: string[] = Array.from({ length: QUIET_MODULES / 2 }, () => quietLine);
  const lines = [...quietLines];
  for (let y = 0; y < size; y += 2) {
    let line = side;
    for (let x = 0; x < size; x++) {
      const top = dark[y * size + x] === 1;
      // A symbol has an odd number of rows, and the row below the last one is quiet zone.
      const bottom = dark[(y + 1) * size + x] === 1;
      line += top ? (bottom ? "█" : "▀") : bottom ? "▄" : " ";
    }
    lines.push(line + side);
  }
  return [...lines, ...quietLines].join("\n");
}
