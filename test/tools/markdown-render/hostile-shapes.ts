/** The shapes of hostile documents. Sizes are in characters; a document is at most that long, or slightly longer. */
export type Make = (size: number) => string;
export type Hostile = { readonly name: string; readonly make: Make };
/** Documents by name: a function that generates one, or a unit that is repeated and is its own name. */
export type Table = Readonly<Record<string, Make>>;

const times = (unit: string, length: number) =>
  unit.repeat(Math.max(1, Math.floor(length / unit.length)));

export const repeat =
  (unit: string): Make =>
  (size) =>
    times(unit, size);

/** A prefix, a unit repeated to the size, and a suffix. */
export const flood =
  (before: string, unit: string, after = ""): Make =>
  (size) =>
    before + times(unit, size - before.length - after.length) + after;

/** One unit repeated in the first half, another in the second half. */
export const halves =
  (first: string, second: string, middle = "", after = ""): Make =>
  (size) =>
    times(first, size / 2) + middle + times(second, size / 2) + after;

/** Nested openers and closers in equal number. */
export const nest =
  (open: string, middle: string, close: string, after = ""): Make =>
  (size) => {
    const count = Math.max(1, Math.floor((size - middle.length) / (open.length + close.length)));
    return open.repeat(count) + middle + close.repeat(count) + after;
  };

/** Pieces, each generated from its number, until the size is reached. */
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

/** A document whose first part has as many characters as the second has lines, so that their product is quadratic. */
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

/** The longest document within this many bytes of UTF-8, the limit for clients; undefined where even the shortest has more. */
export function within(make: Make, bytes: number): string | undefined {
  try {
    return ofBytes(make, bytes);
  } catch (error) {
    // From `ofBytes`, and from a document that repeats something a negative number of times.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function ofBytes(make: Make, bytes: number): string {
  let made = make(bytes);
  for (let size = bytes; Buffer.byteLength(made) > bytes; ) {
    size = Math.floor((size * bytes) / Buffer.byteLength(made)) - 1;
    if (size < 1) throw new RangeError(`there is no such document of ${bytes} bytes`);
    made = make(size);
  }
  return made;
}
