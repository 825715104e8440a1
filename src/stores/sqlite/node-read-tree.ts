import type { SqlRow, SqlValue } from "./driver.ts";
import {
  freePages,
  type PageFile,
  readPage,
  readRecord,
  type TreeKind,
} from "./node-file-pages.ts";

/** A table or an index of a damaged file. */
export type Tree = {
  name: string;
  root: number;
  kind: TreeKind;
  /** In the order in which a row has them. */
  columns: readonly string[];
  /** The columns by which rows are in order. With `kind: "rowid"` the number of the row. */
  key: readonly string[];
};

/** Between the rows with these keys, exclusive, rows may be missing. Null: from the beginning, to the end. */
export type Gap = {
  after: SqlValue[] | null;
  before: SqlValue[] | null;
  /** Whether only rows that were read and are damaged are missing. */
  isOfRows: boolean;
};

export type RowUse = {
  /** Whether a row is as it was written. */
  isWhole(row: SqlRow): boolean;
  /** Called with the whole rows. Returns whether the row fits to the others. */
  onRow(row: SqlRow): boolean;
  onDamaged(row: SqlRow): void;
};

export type TreeReading = {
  /** The rows that are as they were written. Rows may be missing only in gaps. */
  rows: number;
  /** The rows that were read and are damaged. */
  damagedRows: number;
  gaps: Gap[];
  /** The pages that belong to the tree. */
  pages: Set<number>;
};

/**
 * Reads a tree around its damage. A row counts if it is whole, in order and fits. Where a row does not, where a page cannot be read,
 * and everywhere on a page with bytes that belong to nothing, rows may be missing.
 */
export function readTree(file: PageFile, tree: Tree, use: RowUse): TreeReading {
  const reading: TreeReading = { rows: 0, damagedRows: 0, gaps: [], pages: new Set() };
  const isTable = tree.kind === "rowid";
  let last: SqlValue[] | null = null;
  let open: "no" | "rows" | "pages" = "no";

  function close(before: SqlValue[] | null): void {
    if (open !== "no") reading.gaps.push({ after: last, before, isOfRows: open === "rows" });
    open = "no";
  }

  function take(row: SqlRow | null, before: SqlValue[] | null): void {
    const key = row && keyOf(tree, row);
    const isOrdered =
      key !== null &&
      (last === null || compareKeys(last, key) < 0) &&
      (before === null || compareKeys(key, before) <= 0);
    if (row !== null && isOrdered && use.isWhole(row) && use.onRow(row)) {
      close(key);
      reading.rows += 1;
      last = key;
      return;
    }
    reading.damagedRows += 1;
    if (row !== null) use.onDamaged(row);
    if (open === "no") open = "rows";
  }

  /** `before`: the greatest key that the page may have. */
  function readFrom(number: number, before: SqlValue[] | null, depth: number): void {
    const page =
      reading.pages.has(number) || depth > DEPTH_MAX
        ? null
        : readPage(file, number, tree.kind, (more) => reading.pages.add(more));
    reading.pages.add(number);
    if (page === null) {
      open = "pages";
      return;
    }
    for (const cell of page.cells) {
      if (!page.isSound) open = "pages";
      const row = page.isInner && isTable ? null : decode(tree, cell.rowid, cell.payload);
      if (page.isInner) readFrom(cell.left, boundOf(row, cell.rowid, before), depth + 1);
      if (!(page.isInner && isTable)) take(row, before);
    }
    if (!page.isSound) open = "pages";
    if (page.isInner) readFrom(page.right, before, depth + 1);
  }

  /** The greatest key of the page to the left of a cell; `before` if the cell is damaged. */
  function boundOf(row: SqlRow | null, rowid: number, before: SqlValue[] | null) {
    const bound = isTable ? [rowid] : row !== null && use.isWhole(row) ? keyOf(tree, row) : null;
    if (bound === null) return before;
    return before === null || compareKeys(bound, before) <= 0 ? bound : before;
  }

  readFrom(tree.root, null, 0);
  close(null);
  if (isTable) reading.gaps = reading.gaps.filter(hasNumbers);
  return reading;
}

/** A file of a petabyte has fewer levels. */
const DEPTH_MAX = 20;

/** Whether a gap has room for a row number. */
function hasNumbers({ after, before }: Gap): boolean {
  return before === null || Number(before[0]) - Number(after?.[0] ?? 0) > 1;
}

type Piece = { first: SqlValue[]; last: SqlValue[]; rows: SqlRow[] };

/**
 * Finds pages of trees whose way to them is lost, because an inner page above them is damaged, and closes gaps with them. Only
 * tables with checksums can be read like this. Free pages have old rows and are left out; if their list is damaged, nothing is read.
 */
export function findLostPages(
  file: PageFile,
  trees: readonly { tree: Tree; reading: TreeReading; use: RowUse }[],
): void {
  const broken = trees.filter(({ reading }) => reading.gaps.some(({ isOfRows }) => !isOfRows));
  const free = freePages(file);
  if (free === null || broken.length === 0) return;
  const known = new Set(free);
  for (const { reading } of trees) for (const page of reading.pages) known.add(page);
  const found = new Map(broken.map((each): [typeof each, Piece[]] => [each, []]));
  for (let number = 2; number <= file.count; number++) {
    if (known.has(number)) continue;
    for (const [each, pieces] of found) pieces.push(...wholePieces(file, number, each));
  }
  for (const [{ tree, reading, use }, pieces] of found) {
    pieces.sort((one, other) => compareKeys(one.first, other.first));
    // Of pages with the same keys, one is old.
    const isDistinct = ({ first }: Piece, index: number) =>
      (index === 0 || compareKeys((pieces[index - 1] as Piece).last, first) < 0) &&
      (index + 1 === pieces.length ||
        compareKeys((pieces[index] as Piece).last, (pieces[index + 1] as Piece).first) < 0);
    const distinct = pieces
      .filter(isDistinct)
      .filter((piece) => reading.gaps.some((gap) => isInside(piece, gap)));
    const refused: Gap[] = [];
    for (const { first, last, rows } of distinct) {
      const fits = rows.map(use.onRow);
      reading.rows += fits.filter(Boolean).length;
      if (fits.includes(false)) refused.push({ after: first, before: last, isOfRows: false });
    }
    reading.gaps = reading.gaps.flatMap((gap) => divide(gap, distinct)).concat(refused);
    if (tree.kind === "rowid") reading.gaps = reading.gaps.filter(hasNumbers);
  }
}

/** What is left of a gap between the pieces that are inside of it. */
function divide(gap: Gap, pieces: readonly Piece[]): Gap[] {
  const own = pieces.filter((piece) => isInside(piece, gap));
  return [...own.map(({ first }) => first), gap.before].map((before, index) => ({
    ...gap,
    after: own[index - 1]?.last ?? gap.after,
    before,
  }));
}

/** Returns nothing unless all rows of the page are of this tree. The rows of an inner page are not next to each other. */
function wholePieces(
  file: PageFile,
  number: number,
  { tree, use }: { tree: Tree; use: RowUse },
): Piece[] {
  const page = readPage(file, number, tree.kind, () => {});
  if (page === null || !page.isSound || (page.isInner && tree.kind === "rowid")) return [];
  const rows: SqlRow[] = [];
  for (const { rowid, payload } of page.cells) {
    const row = decode(tree, rowid, payload);
    if (row === null || !use.isWhole(row)) return [];
    rows.push(row);
  }
  const pieces = rows.map((row): Piece => {
    const key = keyOf(tree, row);
    return { first: key, last: key, rows: [row] };
  });
  const [first, last] = [pieces[0]?.first, pieces.at(-1)?.last];
  if (page.isInner || first === undefined || last === undefined) return pieces;
  return pieces.every(
    (piece, index) =>
      index === 0 || compareKeys((pieces[index - 1] as Piece).last, piece.first) < 0,
  )
    ? [{ first, last, rows }]
    : [];
}

const isInside = ({ first, last }: Piece, { after, before }: Gap): boolean =>
  (after === null || compareKeys(after, first) < 0) &&
  (before === null || compareKeys(last, before) < 0);

function decode(tree: Tree, rowid: number, payload: Buffer | null): SqlRow | null {
  const values = payload && readRecord(payload, tree.columns.length);
  if (values === null) return null;
  const row: SqlRow = Object.fromEntries(
    tree.columns.map((column, index) => [column, values[index] ?? null]),
  );
  // SQLite stores null in place of the number.
  if (tree.kind === "rowid") row[tree.key[0] as string] = rowid;
  return row;
}

function keyOf(tree: Tree, row: SqlRow): SqlValue[] {
  return tree.key.map((column) => row[column] ?? null);
}

/** As SQLite orders them: null, numbers, texts by their bytes. */
export function compareKeys(one: readonly SqlValue[], other: readonly SqlValue[]): number {
  for (let index = 0; index < one.length; index++) {
    const [left, right] = [one[index] ?? null, other[index] ?? null];
    if (left === right) continue;
    if (typeof left === "number" && typeof right === "number") return left - right;
    if (typeof left === "string" && typeof right === "string")
      return Buffer.compare(Buffer.from(left), Buffer.from(right));
    return rankOf(left) - rankOf(right);
  }
  return 0;
}

const rankOf = (value: SqlValue) => (value === null ? 0 : typeof value === "number" ? 1 : 2);
