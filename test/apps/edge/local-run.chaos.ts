/** docs/cloudflare.md, followed on this machine: its commands run in a checkout without data, with the ports of the test. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { migrationFile } from "#stores/schema/d1-migrations.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { freePort } from "../../support/ports.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const WAIT_MS_MAX = 10 * 60_000;
const PAGE = readFileSync(path.join(ROOT, "docs/cloudflare.md"), "utf8");

/** The commands of a section, one text for each block. */
function commandsOf(section: string): string[] {
  const [, text = ""] = PAGE.split(`\n## ${section}\n`);
  const [own = ""] = text.split(/^## /m);
  return [...own.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands = ""]) => commands);
}

/** A folder with what a clone has after `npm ci` and `npm run build`. The files that the commands change are its own. */
async function openCheckout(t: TestContext) {
  const folder = temporaryFolder(t);
  const env = {
    ...bareEnvironment(),
    HOME: folder,
    PATH: `${path.join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}`,
    CI: "true",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
  for (const name of ["src", "docs", "node_modules", "package.json", "tsconfig.json"])
    symlinkSync(path.join(ROOT, name), path.join(folder, name));
  for (const name of ["wrangler.jsonc", "wrangler.site.jsonc"])
    copyFileSync(path.join(ROOT, name), path.join(folder, name));
  const run = async (commands: string) => {
    const options = { cwd: folder, env };
    const { stdout } = await promisify(execFile)("bash", ["-euc", commands], options);
    return stdout;
  };
  return { folder, env, run };
}

type Checkout = Awaited<ReturnType<typeof openCheckout>>;

/** Runs `wrangler dev` until the test ends. */
async function startDev(t: TestContext, { folder, env }: Checkout, command: string, base: string) {
  // A group of its own, so that a signal reaches everything that npx starts.
  const child: ChildProcess = spawn("bash", ["-c", command], { cwd: folder, env, detached: true });
  const closed = once(child, "close");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null)
      process.kill(-(child.pid ?? 0), "SIGTERM");
    await closed;
  });
  const deadline = Date.now() + WAIT_MS_MAX;
  const isReady = () =>
    fetch(`${base}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) {
    assert.ok(child.exitCode === null && Date.now() < deadline, output);
    await sleep(200);
  }
}

test("the page's commands create the tables, update them, and lead to a first call on this machine", async (t) => {
  const checkout = await openCheckout(t);
  const { folder, run } = checkout;
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const [install = "", build = "", prepare = "", dev = "", call = ""] = commandsOf(
    "Try it on your machine",
  ).map((commands) => commands.replaceAll("8787", String(port)));
  assert.match(install, /^npm install --save-dev toolbooth-cloudflare wrangler\n$/);
  assert.match(build, /^npm run -s toolbooth -- build cloudflare\n$/);
  await run(build);

  await run(prepare);
  // A later release adds a table, with a trigger.
  const migrations = path.join(folder, "dist/edge/migrations");
  const next = { name: "9999_next", sql: NEXT_RELEASE };
  writeFileSync(path.join(migrations, `${next.name}.sql`), migrationFile(next));
  const update = commandsOf("Update").join("\n").replaceAll("--remote", "--local");
  const [list = "", execute = ""] = update
    .split("\n")
    .filter((line) => line.startsWith("npx wrangler d1 "));
  const pending = await run(list);
  assert.deepEqual(pending.match(/\d{4}_\w+\.sql/g), [`${next.name}.sql`]);
  await run(execute.replace("<name>", next.name));
  assert.match(await run(list), /No migrations to apply/);

  await startDev(t, checkout, `${dev.trim()} --port ${port}`, base);
  assert.match(await run(call), /"balance":1000\b/);
});

const NEXT_RELEASE = `CREATE TABLE next_release (account TEXT PRIMARY KEY) STRICT;
CREATE TRIGGER next_release_account AFTER INSERT ON account_index BEGIN INSERT INTO next_release (account) VALUES (NEW.account); END;
`;
