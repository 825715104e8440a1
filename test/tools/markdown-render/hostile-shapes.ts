/** The shapes that hostile documents are made of. A size is in characters; what is made is at most that long, or nearly. */
export type Make = (size: number) => string;
export type Hostile = { readonly name: string; readonly make: Make };
/** Names and makers, or units that are simply repeated and are their own name. */
export type Table = Readonly<Record<string, Make>>;

const times = (unit: string, length: number) =>
  unit.repeat(Math.max(1, Math.floor(length / unit.length)));

export const repeat =
  (unit: string): Make =>
  (size) =>
    times(unit, size);

/** Something once, a unit as often as fits, something once. */
export const flood =
  (before: string, unit: string, after = ""): Make =>
  (size) =>
    before + times(unit, size - before.length - after.length) + after;

/** Half of it one unit, the other half the other. */
export const halves =
  (first: string, second: string, middle = "", after = ""): Make =>
  (size) =>
    times(first, size / 2) + middle + times(second, size / 2) + after;

/** As many openers as closers, one within the other. */
export const nest =
  (open: string, middle: string, close: string, after = ""): Make =>
  (size) => {
    const count = Math.max(1, Math.floor((size - middle.length) / (open.length + close.length)));
    return open.repeat(count) + middle + close.repeat(count) + after;
  };

/** Piece after piece, each made from its number, until the size is reached. */
export const series =
  (piece: (index: number) => string, before = "", after = ""): Make =>
  (size) => {
    const pieces = [before];
    for (let index = 0, length = before.length + after.length; ; index += 1) {
      const next = piece(index);
      length += next.length;
      if (length > size && index > 0) break;
      pieces.push(next);
    }
    pieces.push(after);
    return pieces.join("");
  };

/** A document whose first part is as long as its second has lines, so that their product is in the square. */
export const square =
  (wide: (count: number) => string, line: string, divisor = 1): Make =>
  (size) => {
    const count = Math.max(1, Math.floor(Math.sqrt(size / divisor)));
    const head = wide(count);
    return head + times(line, size - head.length);
  };

export const repeats = (...units: string[]): Table =>
  Object.fromEntries(units.map((unit) => [`${JSON.stringify(unit)} repeated`, repeat(unit)]));

export const family = (title: string, table: Table): Hostile[] =>
  Object.entries(table).map(([name, make]) => ({ name: `${title}: ${name}`, make }));

/** The longest start of the document that has at most so many bytes of UTF-8, the limit that a caller meets. */
export function ofBytes(make: Make, bytes: number): string {
  let made = make(bytes);
  for (let size = bytes; Buffer.byteLength(made) > bytes; ) {
    size = Math.floor((size * bytes) / Buffer.byteLength(made)) - 1;
    if (size < 1) throw new Error(`there is no such document of ${bytes} bytes`);
    made = make(size);
  }
  return made;
}
