import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { test } from "node:test";
import { databaseFile } from "#apps/node/data-folder.ts";
import { startServer } from "../../http/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runHere } from "./run-command.ts";

/** The ledger's file has one writer while a server runs. */
const TOKEN = "a-token-of-the-operator-0123456789";

/** O_ACCMODE of open(2); O_RDONLY is 0. */
const ACCESS_MODE = 0b11;

/** Returns how each descriptor of the file was opened. Linux only. */
function descriptorsOf(pid: number, file: string): ("read" | "write")[] {
  const path = realpathSync(file);
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== path) return [];
      const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"));
      return [(Number.parseInt(flags?.[1] ?? "", 8) & ACCESS_MODE) === 0 ? "read" : "write"];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

test("a running server has one connection that can write to the ledger's file, whatever writes", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux shows how a file was opened");
  const DATA_DIR = temporaryFolder(t);
  const server = await startServer(t, { DATA_DIR, TOOLBOOTH_OPERATOR_TOKEN: TOKEN });
  const key = await server.demoKey();
  const call = async () => {
    const response = await fetch(`${server.base}/api/v1/uuid`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 200, await response.text());
    return Number(response.headers.get("credits-remaining"));
  };
  const run = (line: string) =>
    runHere(line, { "--remote": server.base, TOOLBOOTH_OPERATOR_TOKEN: TOKEN });
  await call();
  const before = await call();
  const granted = await run("credits grant demo@toolbooth.localhost 5");
  assert.equal(granted.exitCode, 0, granted.text);
  assert.equal(await call(), before + 5 - 1);
  const suspended = await run("account suspend demo@toolbooth.localhost");
  assert.equal(suspended.exitCode, 0, suspended.text);
  await assert.rejects(call(), /account_suspended/);
  const found = descriptorsOf(server.child.pid, databaseFile(DATA_DIR));
  assert.ok(found.includes("read"));
  assert.equal(found.filter((access) => access === "write").length, 1, found.join(" "));
});
