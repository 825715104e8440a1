import assert from "node:assert/strict";
import { crc32, inflateSync } from "node:zlib";

/** Reads the three drawings of a QR code: a PNG through the runtime's zlib, SVG and block characters as modules. */

/** Pixels, starting at the top left; 1 is dark. */
export type Picture = { width: number; height: number; dark: Uint8Array };

/** Red, green, blue and alpha from 0 to 255. */
export type Rgba = readonly number[];
export type Colors = { dark: Rgba; light: Rgba };

const BLACK_ON_WHITE: Colors = { dark: [0, 0, 0, 255], light: [255, 255, 255, 255] };

export function readPng(dataUrl: string): Picture & { colors: Colors } {
  const [prefix, base64 = ""] = dataUrl.split(",");
  assert.equal(prefix, "data:image/png;base64");
  const png = Buffer.from(base64, "base64");
  assert.equal(png.toString("base64"), base64);
  assert.equal(png.subarray(0, 8).toString("hex"), "89504e470d0a1a0a");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 8, at + 8 + length);
    assert.equal(crc32(png.subarray(at + 4, at + 8 + length)), png.readUInt32BE(at + 8 + length));
    chunks.set(png.toString("latin1", at + 4, at + 8), body);
    at += 12 + length;
  }
  const palette = chunks.get("PLTE");
  const alpha = chunks.get("tRNS");
  assert.deepEqual(
    [...chunks.keys()],
    ["IHDR", ...(palette ? ["PLTE"] : []), ...(alpha ? ["tRNS"] : []), "IDAT", "IEND"],
  );
  const header = chunks.get("IHDR") as Buffer;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const depth = alpha ? 8 : 1;
  assert.deepEqual([...header.subarray(8)], [depth, palette ? 3 : 0, 0, 0, 0]);
  if (palette) assert.equal(palette.length, 6);
  const colors = palette
    ? {
        dark: [...palette.subarray(0, 3), alpha?.[0] ?? 255],
        light: [...palette.subarray(3, 6), alpha?.[1] ?? 255],
      }
    : BLACK_ON_WHITE;
  // inflateSync checks the Adler-32 too.
  const rows = inflateSync(chunks.get("IDAT") as Buffer);
  const rowBytes = 1 + Math.ceil((width * depth) / 8);
  assert.equal(rows.length, rowBytes * height);
  const dark = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = rows.subarray(y * rowBytes + 1, (y + 1) * rowBytes);
    const filter = rows[y * rowBytes];
    if (filter === 2) {
      const above = rows.subarray((y - 1) * rowBytes + 1, y * rowBytes);
      for (let i = 0; i < row.length; i++)
        row[i] = ((row[i] as number) + (above[i] as number)) & 255;
    } else assert.equal(filter, 0);
    for (let x = 0; x < width; x++) {
      const pixel =
        depth === 8 ? (row[x] as number) : ((row[x >> 3] as number) >> (7 - (x & 7))) & 1;
      assert.ok(pixel < 2);
      dark[y * width + x] = 1 - pixel;
    }
  }
  return { width, height, dark, colors };
}

/** The modules of our SVG, the quiet zone included, and its colors. */
export function readSvg(
  svg: string,
): Picture & { drawnWidth: number; ink: string; paper: string | undefined } {
  const match =
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="(\d+)" height="(\d+)" viewBox="0 0 (\d+) (\d+)" shape-rendering="crispEdges">(?:<rect width="(\d+)" height="(\d+)" fill="(#\w+)" style="fill:\7;fill-opacity:1;stroke:none;opacity:1"\/>)?<path fill="(#\w+)" style="fill:\8;fill-opacity:1;stroke:none;opacity:1" d="([Mmhvz0-9 -]+)"\/><\/svg>$/.exec(
      svg,
    );
  assert.ok(match, svg.slice(0, 300));
  const [paper, ink = "", path = ""] = match.slice(7);
  const [drawn, drawnHeight, width, ...others] = match.slice(1, 7).map(Number) as number[];
  assert.equal(drawn, drawnHeight);
  const sizes = paper === undefined ? others.slice(0, 1) : others;
  assert.ok(width !== undefined && sizes.every((other) => other === width));
  return {
    width,
    height: width,
    dark: fillPath(path, width),
    drawnWidth: drawn as number,
    ink,
    paper,
  };
}

/** Fills a path of horizontal and vertical lines. Its winding number is 0 or 1, so both fill rules give the same. */
function fillPath(path: string, width: number): Uint8Array {
  const subpaths = path.match(/[Mm]-?\d+ -?\d+(?:[hv]-?\d+)+z/g) ?? [];
  assert.equal(subpaths.join(""), path);
  /** By how much the winding number changes at a vertical line, in the row below it and to its right. */
  const turns = new Int8Array((width + 1) * width);
  let [x, y] = [0, 0];
  const turn = (row: number, by: number) => {
    const at = row * (width + 1) + x;
    turns[at] = (turns[at] as number) + by;
  };
  const moveDown = (to: number) => {
    for (; y < to; y++) turn(y, -1);
    for (; y > to; y--) turn(y - 1, 1);
  };
  for (const [index, subpath] of subpaths.entries()) {
    assert.equal(subpath.startsWith("M"), index === 0);
    const [dx = "", dy = ""] = subpath.match(/-?\d+/g) ?? [];
    const start = [x + Number(dx), y + Number(dy)] as const;
    [x, y] = start;
    for (const [, command, length] of subpath.matchAll(/([hv])(-?\d+)/g)) {
      if (command === "h") x += Number(length);
      else moveDown(y + Number(length));
    }
    assert.equal(x, start[0], "the last line is vertical");
    moveDown(start[1]);
  }
  const dark = new Uint8Array(width * width);
  for (let row = 0; row < width; row++) {
    let winding = 0;
    for (let column = 0; column < width; column++) {
      winding += turns[row * (width + 1) + column] as number;
      assert.ok(winding === 0 || winding === 1, `winding number ${winding}`);
      dark[row * width + column] = winding;
    }
  }
  return dark;
}

/** The modules of the block characters, the quiet zone included. */
export function readBlocks(text: string): Picture {
  const lines = text.split("\n").map((line) => [...line]);
  const width = lines[0]?.length ?? 0;
  const height = lines.length * 2;
  const dark = new Uint8Array(width * height);
  lines.forEach((line, row) => {
    assert.equal(line.length, width);
    line.forEach((letter, x) => {
      assert.ok(" █▀▄".includes(letter), letter);
      dark[2 * row * width + x] = letter === "█" || letter === "▀" ? 1 : 0;
      dark[(2 * row + 1) * width + x] = letter === "█" || letter === "▄" ? 1 : 0;
    });
  });
  return { width, height, dark };
}

/** The number of light rows and columns at the edges: left, top, right, bottom. */
export function margins({ width, height, dark }: Picture): number[] {
  let [left, top, right, bottom] = [width, height, width, height];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (dark[y * width + x] === 0) continue;
      left = Math.min(left, x);
      top = Math.min(top, y);
      right = Math.min(right, width - 1 - x);
      bottom = Math.min(bottom, height - 1 - y);
    }
  }
  return [left, top, right, bottom];
}
