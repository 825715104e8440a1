import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { readBarcodes } from "zxing-wasm/reader";
import { createCases } from "../../bench/cases.ts";
import { runFlatOut } from "../../bench/load.ts";
import { createUsualAccounts, openUsualLedger } from "../../bench/peers/usual-ledger.ts";
import { makeDataDir } from "../../bench/servers.ts";
import {
  CONTENDERS,
  type Contender,
  type Contenders,
  startContenders,
} from "../../bench/throughput.ts";
// Gives zxing-wasm its bytes.
import "../tools/qr-code/readers.ts";

/** A comparison is fair only if all contenders give the same results for the same requests, and charge for them. */
const ACCOUNTS = 3;
const SVG = /^(?:<\?xml[^>]*>)?\s*<svg [\s\S]*<\/svg>\s*$/;
const CHARGING = CONTENDERS.filter((name) => name !== "bare");

describe("the contenders of the benchmark", () => {
  let contenders: Contenders;
  before(async () => {
    contenders = await startContenders("silent", ACCOUNTS);
  });
  after(() => contenders.close());

  async function call(name: Contender, tool: string, body: object, key?: string) {
    const { port } = contenders.servers[name];
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${tool}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${key ?? contenders.keys[name][0]}`,
      },
      body: JSON.stringify(body),
    });
    if (response.status === 200) contenders.count(name, 1);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it("hash and echo the same", async () => {
    const text = "The quick brown fox jumps";
    const hash = createHash("sha256").update(text).digest("hex");
    for (const name of CONTENDERS) {
      const hashed = await call(name, "hash", { text, algorithm: "sha256" });
      assert.deepEqual(hashed.body, { ok: true, algorithm: "SHA256", hash, length: 64 }, name);
      const { body } = await call(name, "echo", { list: [1, 2.5, null], nested: { a: "é" } });
      assert.deepEqual(body["body"], { list: [1, 2.5, null], nested: { a: "é" } }, name);
      assert.ok(!Number.isNaN(Date.parse(String(body["receivedAt"]))), name);
    }
  });

  it("generate UUIDs of version 4, as many as requested", async () => {
    for (const name of CONTENDERS) {
      const { body } = await call(name, "uuid", { count: 3, uppercase: false });
      const uuids = body["uuids"] as string[];
      assert.equal(new Set(uuids).size, 3, name);
      for (const uuid of uuids) assert.match(uuid, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/, name);
      assert.deepEqual({ ...body, uuids: [] }, { ok: true, count: 3, uppercase: false, uuids: [] });
    }
  });

  it("render the same Markdown and remove scripts", async () => {
    const markdown =
      "# Title\n\n**bold**, a [link](https://example.com) and [bad](javascript:x)\n\n| a |\n|---|\n| b |\n\n<script>alert(1)</script>\n";
    for (const name of CONTENDERS) {
      const { body } = await call(name, "markdown-render", { markdown });
      const html = String(body["html"]);
      assert.match(html, /<h1>Title<\/h1>/, name);
      assert.match(html, /<strong>bold<\/strong>, a <a href="https:\/\/example.com"/, name);
      assert.match(html, /<table>\s*<thead>\s*<tr>\s*<th>a<\/th>/, name);
      assert.doesNotMatch(html, /<script|href="javascript/, name);
    }
  });

  it("draw QR codes of the requested width that contain the text", async () => {
    const text = "https://example.com/orders/2026/q?i=4711";
    for (const name of CONTENDERS) {
      const { body } = await call(name, "qr-code", { text, format: "png", width: 256 });
      const png = Buffer.from(String(body["output"]).split(",")[1] ?? "", "base64");
      // The width and the height of the header (PNG 11.2.1).
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [256, 256], name);
      const found = await readBarcodes(new Uint8Array(png));
      assert.deepEqual(
        found.map((one) => one.text),
        [text],
        name,
      );
      const svg = await call(name, "qr-code", { text, format: "svg", width: 256 });
      assert.match(String(svg.body["output"]), SVG, name);
      const shared = { ok: true, errorCorrectionLevel: "M", width: 256 };
      assert.deepEqual(
        { ...body, output: "" },
        { ...shared, format: "png", mimeType: "image/png", output: "" },
        name,
      );
      assert.deepEqual(
        { ...svg.body, output: "" },
        { ...shared, format: "svg", mimeType: "image/svg+xml", output: "" },
        name,
      );
    }
  });

  it("reject a key that does not exist, and a call without its fields", async () => {
    for (const name of CHARGING) {
      const valid = { text: "", algorithm: "sha256" };
      assert.equal((await call(name, "hash", valid, "nobody")).status, 401, name);
      const { status } = await call(name, "hash", { algorithm: "sha256" });
      assert.ok(status === 400 || status === 422, `${name}: ${status}`);
    }
  });

  it("respond to every request of every case with 200", async () => {
    for (const { name, requests, connections } of createCases(contenders.keys)) {
      for (const contender of CONTENDERS) {
        const { port } = contenders.servers[contender];
        // Each connection sends one request, so four connections suffice for the first four of a case.
        const result = await runFlatOut({
          port,
          requests: requests[contender].slice(0, 4),
          connections: Math.min(connections, 4),
          durationMs: 0,
        });
        contenders.count(contender, result.responses);
        assert.deepEqual([...result.statuses], [[200, 4]], `${contender}: ${name}`);
      }
    }
  });

  it("have all calls with a response in their ledgers after they were killed, and no others", async () => {
    const totals = await contenders.finish();
    assert.deepEqual(totals.faults, []);
    assert.ok(totals.responded > 20);
    assert.equal(totals.recorded, totals.responded);
  });
});

describe("the ledger of the usual builds", () => {
  it("syncs every commit, and charges an account until its credits are used up", () => {
    const { dataDir, remove } = makeDataDir();
    const keys = createUsualAccounts(dataDir, 2, 1);
    const ledger = openUsualLedger(dataDir);
    try {
      assert.deepEqual(ledger.durability(), { journalMode: "wal", synchronous: 2 });
      const [first = "", second = ""] = keys;
      assert.equal(ledger.charge(first, "hash"), "charged");
      assert.equal(ledger.charge(first, "hash"), "no_credits");
      assert.equal(ledger.charge(second, "hash"), "charged");
      assert.equal(ledger.charge("nobody", "hash"), "unknown_key");
    } finally {
      ledger.close();
      remove();
    }
  });
});
