import { createRequire } from "node:module";

type Element = {
  readonly textContent: string | null;
  readonly localName: string;
  getAttribute(name: string): string | null;
  remove(): void;
};
type Root = Element & { innerHTML: string; querySelectorAll(selector: string): Iterable<Root> };
type Document = { createElement(name: "div"): Root };

/** A document of jsdom, which has no types of its own, without scripts or requests. */
export function openDocument(): Document {
  const { JSDOM } = createRequire(import.meta.url)("jsdom") as {
    JSDOM: new () => { window: { document: Document } };
  };
  return new JSDOM().window.document;
}
