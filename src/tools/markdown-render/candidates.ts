import { cleanAddress } from "./address.ts";
import type { BareAutolinks } from "./autolinks.ts";
import {
  AUTOLINK,
  CANDIDATE,
  type EditList,
  IMAGE,
  IMAGE_END,
  KEEP,
  LINK,
  LINK_END,
  TEXT,
} from "./edits.ts";

/**
 * Decides about addresses without brackets that were found while a `[` was open, once it is known which brackets are
 * links. An address within a link is text. Elsewhere it becomes a link, which ends at the next markup at the latest.
 */
export function linkCandidates(edits: EditList, autolinks: BareAutolinks): void {
  const end = autolinks.to;
  /** The number of open links and images. */
  let depth = 0;
  let floor = 0;
  /** The end of the current stretch of text, which markup follows. */
  autolinks.to = 0;
  for (let i = 0; i < edits.count; i++) {
    const kind = edits.kind(i);
    if (isMarkup(kind)) {
      if (kind === LINK || kind === IMAGE) depth++;
      if (kind === LINK_END || kind === IMAGE_END) depth--;
      floor = edits.end(i);
    } else if (kind === CANDIDATE && depth === 0 && edits.start(i) >= floor) {
      if (edits.start(i) >= autolinks.to) autolinks.to = nextMarkup(edits, i, end);
      floor = linkCandidate(edits, i, autolinks, floor);
    }
  }
}

/** Returns the position after the new link, or `floor` if there is none. */
function linkCandidate(
  edits: EditList,
  index: number,
  autolinks: BareAutolinks,
  floor: number,
): number {
  const autolink = autolinks.read(edits.start(index), floor);
  const address = autolink && cleanAddress(autolink.address);
  if (autolink === undefined || address === undefined) return floor;
  const { start, end, text } = autolink;
  // Other edits within the address are dropped.
  for (let i = index - 1; i >= 0 && edits.start(i) >= start; i--) edits.setKind(i, KEEP);
  for (let i = index + 1; i < edits.count && edits.start(i) < end; i++) edits.setKind(i, KEEP);
  edits.setText(index, AUTOLINK, text, address);
  edits.setRange(index, start, end);
  return end;
}

/** Returns the start of the next markup after `index`, or the end of the text. */
function nextMarkup(edits: EditList, index: number, end: number): number {
  for (let i = index + 1; i < edits.count; i++) if (isMarkup(edits.kind(i))) return edits.start(i);
  return end;
}

function isMarkup(kind: number): boolean {
  // A character reference in an address is part of the address as written.
  return kind !== KEEP && kind !== TEXT && kind !== CANDIDATE;
}
