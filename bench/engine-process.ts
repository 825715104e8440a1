import { createRequire } from "node:module";
import type { WindowLike } from "dompurify";
import { passedBy } from "./conformance.ts";
import { TASKS, type Task } from "./engine-tasks.ts";
import { importFrom } from "./ledger-accounts.ts";

/**
 * One engine in its own process, so that the CPU time of the process is the engine's alone, with compilation and garbage
 * collection: `node engine-process.ts <engine> <root>`. Returns a sample for each message.
 */
export type EngineTurn = { task: string; seconds: number };

const require = createRequire(import.meta.url);
const [name = "", root = ""] = process.argv.slice(2);

type Run = (input: string) => unknown;
type Open = (task: Task) => Promise<Run>;

const OPEN: Readonly<Record<string, Open>> = {
  async toolbooth({ engine, form, width = 0 }) {
    const load = <Module>(file: string) => importFrom<Module>(root, `src/tools/${file}.ts`);
    if (engine === "markdown") {
      const { renderMarkdown } = await load<
        typeof import("#tools/markdown-render/render-markdown.ts")
      >("markdown-render/render-markdown");
      return (markdown) => renderMarkdown(markdown, false).html;
    }
    const { encodeQr } =
      await load<typeof import("#tools/qr-code/encode-qr.ts")>("qr-code/encode-qr");
    const { drawQrSvg, layOutQr } =
      await load<typeof import("#tools/qr-code/draw.ts")>("qr-code/draw");
    const { writeQrPng } = await load<typeof import("#tools/qr-code/png.ts")>("qr-code/png");
    const modulesOf = (text: string) => encodeQr(text, "M") ?? fail("No symbol holds the text");
    if (form === "modules") return modulesOf;
    if (form === "svg") return (text) => drawQrSvg(modulesOf(text), width);
    return (text) => {
      const symbol = modulesOf(text);
      return Buffer.from(writeQrPng(symbol, layOutQr(symbol.size, width))).toString("base64");
    };
  },
  md4w: openMd4w,
  md4x: openMd4x,
  async "md4x+sanitize-html"() {
    const render = await openMd4x();
    // The package has no types.
    const sanitize = require("sanitize-html") as (html: string) => string;
    return (markdown) => sanitize(render(markdown));
  },
  marked: openMarked,
  async "marked+DOMPurify"() {
    const render = await openMarked();
    const { default: createDOMPurify } = await import("dompurify");
    // jsdom has no types.
    const { JSDOM } = require("jsdom") as { JSDOM: new (html: string) => { window: WindowLike } };
    const { sanitize } = createDOMPurify(new JSDOM("").window);
    return (markdown) => sanitize(render(markdown));
  },
  async "markdown-it"() {
    const { default: MarkdownIt } = await import("markdown-it");
    const engine = new MarkdownIt({ html: false, linkify: true });
    return (markdown) => engine.render(markdown);
  },
  async "node-qrcode"({ form, width }) {
    // The package has no types.
    const qrcode = require("qrcode") as {
      create(text: string, options: object): unknown;
      toString(text: string, options: object): Promise<string>;
      toDataURL(text: string, options: object): Promise<string>;
    };
    const options = { errorCorrectionLevel: "M", margin: 4, width };
    if (form === "modules") return (text) => qrcode.create(text, options);
    if (form === "svg") return (text) => qrcode.toString(text, { ...options, type: "svg" });
    return (text) => qrcode.toDataURL(text, options);
  },
};

type RenderHtml = (markdown: string) => string;

async function openMd4w(): Promise<RenderHtml> {
  const { init, mdToHtml } = await import("md4w");
  await init();
  return (markdown) => mdToHtml(markdown);
}

async function openMd4x(): Promise<RenderHtml> {
  const { renderToHtml } = await import("md4x");
  return (markdown) => renderToHtml(markdown);
}

async function openMarked(): Promise<RenderHtml> {
  const { Marked } = await import("marked");
  const engine = new Marked({ gfm: true, async: false });
  return (markdown) => engine.parse(markdown, { async: false });
}

function fail(reason: string): never {
  throw new Error(`${name}: ${reason}`);
}

const open = OPEN[name === "beside" ? "toolbooth" : name] ?? fail("is not an engine");
const prepared = new Map<string, { run: Run; inputs: readonly string[] }>();
/** The examples of the specifications that the Markdown engine passes. */
let passed: Record<string, number> | undefined;

async function prepare(wanted: string) {
  const known = prepared.get(wanted);
  if (known !== undefined) return known;
  const task = TASKS.find((one) => one.name === wanted) ?? fail(`has no task "${wanted}"`);
  const fresh = { run: await open(task), inputs: task.inputs() };
  prepared.set(wanted, fresh);
  return fresh;
}

/**
 * Runs complete passes over the inputs, so that every engine gets the same mix. Returns CPU microseconds per input, and for
 * Markdown the examples of the specifications that pass.
 */
async function takeSample({ task, seconds }: EngineTurn): Promise<Record<string, number>> {
  const { run, inputs } = await prepare(task);
  if (task.startsWith("Markdown")) passed ??= passedBy(run);
  const before = process.cpuUsage();
  for (let count = 0; ; ) {
    for (const input of inputs) {
      const result = run(input);
      finish(result instanceof Promise ? await result : result);
    }
    count += inputs.length;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= seconds * 1e6) return { ...passed, cpuMicros: (user + system) / count };
  }
}

/** V8 joins concatenated strings only when they are read, so reading belongs to the result. */
function finish(result: unknown): void {
  const isThere = typeof result === "string" ? result.charCodeAt(result.length - 1) > 0 : result;
  if (!isThere) fail("made nothing");
}

process.on("message", async (turn: EngineTurn) => process.send?.(await takeSample(turn)));
process.send?.("ready");
