import { resolveReferences } from "./entities.ts";
import { attributesOf } from "./raw-html.ts";
import { idOf } from "./safe-elements.ts";

const OPENING_TAG = /<[a-z][^<>]*/gi;

/** The ids that the raw HTML of a document gives to elements. Links can lead to them before they are written. */
export class Anchors {
  private readonly ids = new Set<string>();
  private readonly taken = new Set<string>();

  /** Also finds tags in code, to which links then lead in vain, as they would anyway. */
  constructor(source: string) {
    for (const [tag] of source.matchAll(OPENING_TAG)) {
      for (const [name, value] of attributesOf(tag)) {
        if (name === "id" || name === "name") this.ids.add(idOf(resolveReferences(value)));
      }
    }
    this.ids.delete("");
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** Whether an element has the id already. */
  isTaken(id: string): boolean {
    return this.taken.has(id);
  }

  take(id: string): void {
    this.taken.add(id);
  }
}
