import {
  DISTANCE_MAX,
  deflateBlock,
  MATCH_LENGTH_MAX,
  MATCH_LENGTH_MIN,
  type Tokens,
} from "./deflate-block.ts";

/**
 * Writes a zlib stream (RFC 1950) of rows, each repeated `repeats[row]` times, as in an enlarged picture. Only distinct
 * rows are searched for matches. The repeats of a row are long matches, so the time hardly grows with the size of the
 * picture. A repeated row can have at most 32 KB, the window of deflate.
 */
export function deflateRepeatedRows(
  rows: Uint8Array,
  rowBytes: number,
  repeats: Uint32Array,
): Uint8Array {
  const matcher = new RowMatcher(rows, rowBytes, repeats);
  for (let row = 0; row < repeats.length; row++) matcher.addRow(row);
  // A 32 KB window and no dictionary. The second byte makes the 16-bit header a multiple of 31.
  const stream = deflateBlock(matcher.tokens, [0x78, 0xda], 4);
  new DataView(stream.buffer).setUint32(stream.length - 4, adler32(rows, rowBytes, repeats));
  return stream;
}

/**
 * How many earlier places with the same three bytes are tried. Large pictures have long runs and thus many such places.
 */
const PLACES_TRIED_MAX = 512;
/** After a good match, fewer places are tried, as in zlib. This halves the time and does not enlarge the output. */
const GOOD_LENGTH = 12;
const PLACES_TRIED_WHEN_GOOD = 64;
/** A match of at least this length is used without trying others. */
const LONG_MATCH = 64;
/** A match that starts one byte later must save this many more bits. */
const LAZY_GAIN_MIN = 3;
const HASH_SIZE = 4096;
/** Filled anew for each picture, because allocating it takes longer. */
const LAST_PLACE = new Int32Array(HASH_SIZE);

/**
 * Estimates how many bits a match saves: a literal takes about 6 bits, a match about 15 plus the extra bits of its
 * distance.
 */
function gainOf(match: number): number {
  return 6 * (match >>> 16) - 15 - (31 - Math.clz32(match & 0xffff));
}

class RowMatcher {
  readonly tokens: Tokens;
  private readonly rows: Uint8Array;
  private readonly rowBytes: number;
  private readonly repeats: Uint32Array;
  /** The last place in `rows` for each hash of three bytes; -1: none. `placeBefore` chains earlier ones. */
  private readonly lastPlace = LAST_PLACE.fill(-1);
  private readonly placeBefore: Int32Array;
  /**
   * For each place in a run of equal bytes: the bytes of the run from there on, and those before. 0 if the run reaches
   * the end of its row, because it may continue in the next one.
   */
  private readonly equalBytes: Uint16Array;
  private readonly equalBefore: Uint16Array;
  /** Where the last copy of each row starts in the stream. */
  private readonly streamStart: Int32Array;
  private streamLength = 0;
  /**
   * How far the stream matches `rows` from a place in each row. In the stream, a repeated row is followed by its copy.
   */
  private readonly runEnd: Int32Array;
  /** The same, starting in the last copy of a row, which the next row follows. */
  private readonly sourceEnd: Int32Array;
  /** Tokens are written up to this place in `rows`. */
  private written = 0;

  constructor(rows: Uint8Array, rowBytes: number, repeats: Uint32Array) {
    this.rows = rows;
    this.rowBytes = rowBytes;
    this.repeats = repeats;
    this.placeBefore = new Int32Array(rows.length);
    this.equalBytes = new Uint16Array(rows.length);
    this.equalBefore = new Uint16Array(rows.length);
    this.streamStart = new Int32Array(repeats.length);
    this.runEnd = new Int32Array(repeats.length);
    this.sourceEnd = new Int32Array(repeats.length);
    for (let row = repeats.length - 1; row >= 0; row--) {
      const goesOn = repeats[row] === 1 && (repeats[row + 1] ?? 0) > 0;
      this.runEnd[row] = goesOn ? (this.runEnd[row + 1] as number) : (row + 1) * rowBytes;
      const isFollowed = (repeats[row + 1] ?? 0) > 0;
      this.sourceEnd[row] = isFollowed ? (this.runEnd[row + 1] as number) : (row + 1) * rowBytes;
    }
    const copies = repeats.reduce((sum, times) => sum + times, 0);
    // The most tokens that any rows need: a literal for every distinct byte, and the matches of the repeats.
    const most =
      rows.length + Math.ceil((copies * rowBytes) / MATCH_LENGTH_MAX) + 2 * repeats.length;
    this.tokens = { list: new Uint32Array(most), count: 0 };
  }

  addRow(row: number): void {
    const { rowBytes, repeats } = this;
    const times = repeats[row] as number;
    if (times === 0) return;
    this.streamStart[row] = this.streamLength;
    const end = (row + 1) * rowBytes;
    this.findEqualBytes(end - rowBytes, end);
    // Where the end of a row and the beginning of the next row equal the row above, they form one match with the
    // copies.
    const isBelow = row > 0 && (repeats[row - 1] as number) > 0;
    const tailMax = times > 1 && isBelow ? this.alike(end, -1, rowBytes) : 0;
    const place = this.matchRow(row, end - tailMax);
    const isAbove = times > 1 && (repeats[row + 1] ?? 0) > 0;
    const head = isAbove ? this.alike(end, 1, rowBytes) : 0;
    if (times > 1) this.repeatRow(row, end - place, (times - 1) * rowBytes + head);
    for (let at = place; at < end + head; at++) this.remember(at);
    this.written = Math.max(place, end + head);
    this.streamStart[row] = this.streamLength + (times - 1) * rowBytes;
    this.streamLength += times * rowBytes;
  }

  private findEqualBytes(start: number, end: number): void {
    const { rows, equalBytes, equalBefore } = this;
    let first = start;
    for (let place = start + 1; place < end; place++) {
      if (rows[place] === rows[first]) continue;
      for (let at = first; at < place; at++) {
        equalBytes[at] = place - at;
        equalBefore[at] = at - first;
      }
      first = place;
    }
  }

  /** Counts the bytes that equal those one row before, forward from a place (`step` 1) or backward from it (-1). */
  private alike(place: number, step: 1 | -1, most: number): number {
    const { rows, rowBytes } = this;
    let at = step > 0 ? place : place - 1;
    let count = 0;
    for (; count < most && rows[at] === rows[at - rowBytes]; at += step) count++;
    return count;
  }

  /** Writes tokens for a row up to `end` or beyond, and returns the place that it reached. */
  private matchRow(row: number, end: number): number {
    let place = Math.max(this.written, row * this.rowBytes);
    // If the repeats already cover the end of a row, a match that extends into it saves nothing.
    const matchEnd = this.repeats[row] === 1 ? (this.runEnd[row] as number) : end;
    let match = 0;
    while (place < end) {
      if (match === 0) match = this.bestMatch(row, place, matchEnd, PLACES_TRIED_MAX);
      this.remember(place);
      let length = match >>> 16;
      // A better match one byte later is worth a literal here, as at zlib's best level.
      if (length > 0 && length < LONG_MATCH && place + 1 < end) {
        const places = length < GOOD_LENGTH ? PLACES_TRIED_MAX : PLACES_TRIED_WHEN_GOOD;
        const later = this.bestMatch(row, place + 1, matchEnd, places);
        if (gainOf(later) > gainOf(match) + LAZY_GAIN_MIN) {
          this.push(this.rows[place] as number);
          place++;
          match = later;
          continue;
        }
      }
      this.push(length > 0 ? match : (this.rows[place] as number));
      length = Math.max(1, length);
      for (let i = 1; i < length; i++) this.remember(place + i);
      place += length;
      match = 0;
    }
    return place;
  }

  /** Returns the token of the match that saves the most bits, or 0 if none saves any. */
  private bestMatch(row: number, place: number, matchEnd: number, places: number): number {
    const { rows, rowBytes } = this;
    const lengthMax = Math.min(MATCH_LENGTH_MAX, matchEnd - place);
    if (lengthMax < MATCH_LENGTH_MIN) return 0;
    const streamPlace = (this.streamStart[row] as number) + (place - row * rowBytes);
    let best = 0;
    let bestGain = 0;
    let bestLength = MATCH_LENGTH_MIN - 1;
    const { equalBytes, equalBefore } = this;
    const runMax = Math.min(equalBytes[place] as number, lengthMax);
    let other = this.lastPlace[hash(rows, place)] as number;
    for (let tried = 0; other >= 0 && tried < places; tried++) {
      // In a run of the same bytes, each place farther back gives a match that is a byte longer, up to the length of the
      // run here. One place of the run is enough; the others only count as tried. Large pictures have long runs: of 2048
      // pixels, a PNG takes 0.7 of the time.
      const run = runMax > 0 && rows[other] === rows[place] ? (equalBytes[other] as number) : 0;
      if (run >= MATCH_LENGTH_MIN) {
        const shorter = Math.max(0, Math.min(runMax, LONG_MATCH) - run);
        const skipped = Math.min(shorter, equalBefore[other] as number, places - 1 - tried);
        other -= skipped;
        tried += skipped;
      }
      // Each place is farther back than the previous one, so only a longer match can save more.
      if (rows[other + bestLength] === rows[place + bestLength]) {
        const otherRow = Math.floor(other / rowBytes);
        const inRow = other - otherRow * rowBytes;
        const distance = streamPlace - ((this.streamStart[otherRow] as number) + inRow);
        if (distance > DISTANCE_MAX) break;
        const most =
          otherRow === row
            ? lengthMax
            : Math.min(lengthMax, (this.sourceEnd[otherRow] as number) - other);
        let length = 0;
        while (length < most && rows[other + length] === rows[place + length]) length++;
        const match = (length << 16) | distance;
        if (length > bestLength && gainOf(match) > bestGain) {
          best = match;
          bestGain = gainOf(match);
          bestLength = length;
          if (length >= LONG_MATCH || length === lengthMax) break;
        }
      }
      if (run >= MATCH_LENGTH_MIN && (equalBytes[other] as number) >= runMax) {
        const skipped = equalBefore[other] as number;
        other -= skipped;
        tried += skipped;
      }
      other = this.placeBefore[other] as number;
    }
    return best;
  }

  private remember(place: number): void {
    if (place + MATCH_LENGTH_MIN > this.rows.length) return;
    const key = hash(this.rows, place);
    this.placeBefore[place] = this.lastPlace[key] as number;
    this.lastPlace[key] = place;
  }

  /** Writes the copies of the current row as matches at a distance of one row. */
  private repeatRow(row: number, tail: number, bytes: number): void {
    let left = tail + bytes;
    while (left >= MATCH_LENGTH_MIN) {
      let length = Math.min(left, MATCH_LENGTH_MAX);
      // The rest must be long enough for another match.
      if (left > length && left - length < MATCH_LENGTH_MIN) length -= MATCH_LENGTH_MIN;
      this.push((length << 16) | this.rowBytes);
      left -= length;
    }
    // The copies of rows of one or two bytes can be shorter than a match.
    const start = row * this.rowBytes;
    const end = start + this.rowBytes;
    for (let i = 0; i < left; i++) {
      const at = i < tail ? end - tail + i : start + ((i - tail) % this.rowBytes);
      this.push(this.rows[at] as number);
    }
  }

  private push(token: number): void {
    this.tokens.list[this.tokens.count++] = token;
  }
}

function hash(bytes: Uint8Array, at: number): number {
  const three =
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
  return (Math.imul(three, 0x9e3779b1) >>> 20) & (HASH_SIZE - 1);
}

const ADLER_BASE = 65_521;

/** RFC 1950, section 8.2. Each copy of a row adds the same amounts to the sums, so they are computed once per row. */
export function adler32(rows: Uint8Array, rowBytes: number, repeats: Uint32Array): number {
  let a = 1;
  let b = 0;
  for (let row = 0; row < repeats.length; row++) {
    let sum = 0;
    let weighted = 0;
    for (let i = 0; i < rowBytes; i++) {
      sum += rows[row * rowBytes + i] as number;
      weighted += sum;
    }
    for (let copy = 0; copy < (repeats[row] as number); copy++) {
      b = (b + rowBytes * a + weighted) % ADLER_BASE;
      a = (a + sum) % ADLER_BASE;
    }
  }
  return ((b << 16) | a) >>> 0;
}
