import { GROUPINGS, type Grouping } from "./breakdown.ts";
import { lastDays, PRESETS, type Range, rangeError } from "./range.ts";

/** The filters of the usage screen. They are kept in the query string, so that they can be bookmarked and shared. */
export type Choices = {
  /** `7`, `30`, `90`, or `custom`. */
  span: string;
  range: Range;
  tool: string | null;
  key: string | null;
  grouping: Grouping;
};
export type Change = Partial<Record<"days" | "from" | "to" | "tool" | "key" | "by", string>>;

const DEFAULT_DAYS = "30";
const DEFAULT_GROUPING = "day-tool";

export function readChoices(search: Change, now: number): Choices {
  const custom = { from: search.from ?? "", to: search.to ?? "" };
  const isCustom = search.days === undefined && rangeError(custom, now) === null;
  const days = PRESETS.find((preset) => String(preset) === search.days) ?? Number(DEFAULT_DAYS);
  const { by = "" } = search;
  return {
    span: isCustom ? "custom" : String(days),
    range: isCustom ? custom : lastDays(days, now),
    tool: search.tool ?? null,
    key: search.key ?? null,
    grouping: Object.hasOwn(GROUPINGS, by) ? (by as Grouping) : DEFAULT_GROUPING,
  };
}

/** Applies a change. An empty string resets a filter, and defaults are left out of the query string. */
export function withChange(search: Change, change: Change): Change {
  const next = { ...search, ...change };
  if (change.days !== undefined) {
    delete next.from;
    delete next.to;
  }
  if (change.from !== undefined) delete next.days;
  if (next.by === DEFAULT_GROUPING) delete next.by;
  if (next.days === DEFAULT_DAYS) delete next.days;
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
}
