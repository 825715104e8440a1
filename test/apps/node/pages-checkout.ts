/** A checkout whose pages are one line, and whose build takes no bundler, for what the server does with builds. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export const ROOT = path.join(import.meta.dirname, "../../..");

/** In place of `npm run build -- pages`. It waits while there is a file `hold`, and fails where `web/main.tsx` says so. */
const BUILD = `
  import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
  import path from "node:path";
  import { pagesPlaces } from "./builds.js";
  import { writeBuild } from "./write-build.ts";

  const checkout = path.join(import.meta.dirname, "../../..");
  const source = readFileSync(path.join(checkout, "web/main.tsx"), "utf8");
  while (existsSync(path.join(checkout, "hold"))) await new Promise((resolve) => setTimeout(resolve, 5));
  if (source.includes("fail")) throw new Error("The build failed");
  const chunk = (file) => ({ file });
  const manifest = {
    "main.tsx": chunk("assets/main.js"),
    "front/main.ts": chunk("assets/front.js"),
    "style.css": chunk("assets/style.css"),
  };
  await writeBuild(checkout, "pages", pagesPlaces(checkout, process.env.DATA_DIR), async (folder) => {
    mkdirSync(path.join(folder, "assets"));
    for (const { file } of Object.values(manifest)) writeFileSync(path.join(folder, file), source);
    writeFileSync(path.join(folder, "inline.json"), '{"early":"","firstPaint":""}');
    writeFileSync(path.join(folder, "manifest.json"), JSON.stringify(manifest));
  });
  process.stdout.write("Built the pages\\n");
`;

export function makeCheckout(t: Pick<TestContext, "after">): string {
  const checkout = temporaryFolder(t);
  const node = "src/apps/node";
  const same = ["builds.js", "write-build.ts", "right-node.cjs"];
  for (const name of [
    ...same.map((file) => `${node}/${file}`),
    "src/apps/start.js",
    "package.json",
    "package-lock.json",
  ])
    cpSync(path.join(ROOT, name), path.join(checkout, name));
  write(checkout, `${node}/build.ts`, BUILD);
  write(checkout, "web/main.tsx", 'document.title = "the only words";\n');
  return checkout;
}

export function write(checkout: string, name: string, text: string): void {
  const file = path.join(checkout, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
