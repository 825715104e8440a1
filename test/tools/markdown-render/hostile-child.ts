import { hostileNamed } from "./hostile-catalogue.ts";
import { ordinaryDocument, type Render, Times } from "./hostile-times.ts";
import { LARGE, tryHostile } from "./hostile-trial.ts";

/**
 * The process that renders. Its argument names the engine's module. It first reports how long the ordinary document
 * takes. Each message is the name of a hostile document, and the response is the document's trial.
 */
const [engine = ""] = process.argv.slice(2);
const { renderMarkdown } = (await import(engine)) as { renderMarkdown: Render };
const times = new Times(renderMarkdown, ordinaryDocument(LARGE));

process.on("message", (name: string) => {
  process.send?.({ trial: tryHostile(renderMarkdown, times, hostileNamed(name)) });
});
process.send?.({ ordinary: times.ordinaryMs });
