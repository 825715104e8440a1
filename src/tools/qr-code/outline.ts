import type { QrSymbol } from "./encode-qr.ts";

/**
 * The outlines of the dark areas of a symbol as the data of an SVG path, `margin` modules from the top and left: closed
 * subpaths of horizontal and vertical lines, clockwise around dark areas and counterclockwise around the light ones in them,
 * so that both fill rules fill the same. Nothing touches within an area, so no renderer draws seams between modules, which
 * it may between rows.
 */
export function outlinePath({ size, dark }: QrSymbol, margin: number): string {
  // A frame of light modules, so that every module has neighbors. `TRACED` is a dark one whose upper edge is in a subpath.
  const width = size + 2;
  const modules = new Uint8Array(width * width);
  for (let y = 0; y < size; y++) {
    modules.set(dark.subarray(y * size, (y + 1) * size), (y + 1) * width + 1);
  }
  // Bytes, because a string of tens of thousands of parts takes three times as long. An edge of a module takes at most three,
  // and the beginning and end of a subpath, which has at least four edges, ten.
  const path = new Uint8Array(2 * size * (size + 1) * (3 + 10 / 4));
  let at = 0;
  /** From a module to the next one to the right, down, to the left and up. */
  const steps = [1, width, -1, -width] as const;
  // Where the last subpath starts: the next one is relative to it.
  let lastX = 1 - margin;
  let lastY = 1 - margin;
  for (let y = 1; y <= size; y++) {
    for (let x = 1; x <= size; x++) {
      const start = y * width + x;
      if (modules[start] !== DARK || modules[start - width] !== LIGHT) continue;
      path[at] = at === 0 ? CAPITAL_M : M;
      at = putNumber(path, at + 1, x - lastX);
      path[at] = SPACE;
      at = putNumber(path, at + 1, y - lastY);
      lastX = x;
      lastY = y;
      // Along the edge of a dark module that is to the right of the line.
      let module = start;
      let direction = RIGHT;
      let length = 0;
      for (;;) {
        if (direction === RIGHT) modules[module] = TRACED;
        length++;
        const ahead = module + (steps[direction] as number);
        let turned = direction;
        if (modules[ahead] === LIGHT) turned = (direction + 1) & 3;
        else {
          const toTheLeft = (direction + 3) & 3;
          const diagonal = ahead + (steps[toTheLeft] as number);
          if (modules[diagonal] === LIGHT) module = ahead;
          else {
            module = diagonal;
            turned = toTheLeft;
          }
        }
        if (turned === direction) continue;
        // The last line is left to `z`.
        if (turned === RIGHT && module === start) break;
        path[at] = direction & 1 ? V : H;
        at = putNumber(path, at + 1, direction < 2 ? length : -length);
        direction = turned;
        length = 0;
      }
      path[at++] = Z;
    }
  }
  return ascii.decode(path.subarray(0, at));
}

const LIGHT = 0;
const DARK = 1;
const TRACED = 2;
const RIGHT = 0;

const [CAPITAL_M, M, H, V, Z, SPACE, MINUS, ZERO] = Array.from("Mmhvz -0", (letter) =>
  letter.charCodeAt(0),
) as [...[number, number, number, number], ...[number, number, number, number]];

const ascii = new TextDecoder();

/** Writes a number of at most three digits, and returns where it ends. */
function putNumber(path: Uint8Array, start: number, value: number): number {
  let at = start;
  if (value < 0) path[at++] = MINUS;
  const digits = value < 0 ? -value : value;
  if (digits > 99) path[at++] = ZERO + Math.floor(digits / 100);
  if (digits > 9) path[at++] = ZERO + (Math.floor(digits / 10) % 10);
  path[at++] = ZERO + (digits % 10);
  return at;
}
