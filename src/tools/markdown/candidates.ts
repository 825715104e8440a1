import type { BareAutolinks } from "#tools/markdown/autolinks.ts";
import type { Edit } from "#tools/markdown/edits.ts";

/**
 * Decides about addresses without brackets that were met while a `[` was open: now it is known which of these
 * began a link. Within a link they are its text; elsewhere they become links, up to the next markup.
 */
export function linkCandidates(edits: Edit[], autolinks: BareAutolinks): void {
  const end = autolinks.to;
  /** Links and images that are open. */
  let depth = 0;
  let floor = 0;
  /** Where the text ends in which the loop is; behind it markup follows. */
  autolinks.to = 0;
  edits.forEach((edit, index) => {
    if (isMarkup(edit)) {
      if (edit.kind === "link" || edit.kind === "image") depth++;
      if (edit.kind === "link end" || edit.kind === "image end") depth--;
      floor = edit.end;
    } else if (edit.kind === "candidate" && depth === 0 && edit.start >= floor) {
      if (edit.start >= autolinks.to) autolinks.to = nextMarkup(edits, index, end);
      floor = linkCandidate(edits, index, autolinks, floor);
    }
  });
}

/** Returns the place behind what was linked, else `floor`. */
function linkCandidate(
  edits: Edit[],
  index: number,
  autolinks: BareAutolinks,
  floor: number,
): number {
  const edit = edits[index];
  const autolink = edit && autolinks.read(edit.start, floor);
  if (edit === undefined || autolink === undefined) return floor;
  const { start, end, text, address } = autolink;
  // What was text within the address stays text.
  for (let i = index - 1; (edits[i]?.start ?? -1) >= start; i--) keep(edits[i]);
  for (let i = index + 1; (edits[i]?.start ?? end) < end; i++) keep(edits[i]);
  Object.assign(edit, { kind: "autolink", start, end, value: text, title: address });
  return end;
}

/** Where the next markup behind `index` begins, or the text ends. */
function nextMarkup(edits: Edit[], index: number, end: number): number {
  for (let i = index + 1; i < edits.length; i++) {
    const edit = edits[i];
    if (edit !== undefined && isMarkup(edit)) return edit.start;
  }
  return end;
}

function isMarkup({ kind, opens, closes }: Edit): boolean {
  if (kind === "run") return opens !== "" || closes !== "";
  return kind !== "keep" && kind !== "escape" && kind !== "candidate";
}

function keep(edit: Edit | undefined): void {
  if (edit !== undefined) edit.kind = "keep";
}
