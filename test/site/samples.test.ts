import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { createDocs } from "#site/docs/docs.ts";
import type { DocsSources } from "#site/docs/navigation.ts";
import { goCode, phpCode } from "#site/request-code.ts";
import { TOOLS } from "#tools/registry.ts";
import { openNodeSocket } from "../http/node-socket.ts";
import { createCaller, openService } from "../http/test-api.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FULL, ROOT } from "./pages-server.ts";
import { PYTHON, RUNNABLE, type Runnable, runSample, SHELL } from "./sample-programs.ts";

/**
 * Every sample of the documentation runs against a server: all examples of a tool with curl, the first one in each language that
 * the machine has, and every other command of the pages.
 */

/** Some samples print for people; here their output is JSON. */
const AS_JSON: Partial<Record<string, [shown: string, instead: string]>> = {
  js: ["console.log(result)", "console.log(JSON.stringify(result))"],
  python: ["print(json.load(response))", "print(json.dumps(json.load(response)))"],
};

let base = "";
const service = await openService(
  {
    ...{ name: "samples", cannot: {} },
    async open(settings) {
      const opened = await openNodeSocket(settings);
      base = `http://127.0.0.1:${opened.port}`;
      return opened;
    },
  },
  // The clock stands still and random bytes repeat, so a call and its repetition have the same response.
  { rateLimit: 0, fixed: true },
);
const caller = await createCaller(service, { credits: 1_000 });
const folder = temporaryFolder({ after });
after(service.close);

const env = { TOOLBOOTH_KEY: caller.key };

for (const language of RUNNABLE) {
  const { id, title, skip, write } = language;
  describe(`samples in ${title}`, { skip }, () => {
    for (const tool of TOOLS) {
      for (const example of id === "sh" ? tool.examples : tool.examples.slice(0, 1)) {
        it(`${tool.name}, ${example.name}: prints what the API responds`, async () => {
          const code = write({ url: `${base}/api/v1/${tool.name}`, body: example.request });
          const [found, instead] = AS_JSON[id] ?? ["", ""];
          assert.ok(code.includes(found), code);
          const shown = code.replace(found, instead);
          const { stdout } = await runSample(language, shown, { folder, env });
          const expected = await caller.call(tool.name, example.request);
          assert.equal(expected.status, 200, expected.text);
          assert.deepEqual(JSON.parse(String(stdout)), expected.json());
        });
      }
    }
  });
}

describe("samples in JavaScript and Python", () => {
  for (const language of RUNNABLE.filter(({ id }) => Object.hasOwn(AS_JSON, id))) {
    const { id, title, skip, write } = language;
    it(`${title}: with its key, an error prints its detail`, { skip }, async () => {
      const body = { count: 501 };
      const code = write({ url: `${base}/api/v1/uuid`, body, secret: caller.key });
      const failure = await runSample(language, code, { folder }).then(
        () => null,
        (error: { code: number; stderr: Buffer }) => error,
      );
      assert.equal(failure?.code, 1);
      const printed = String(failure.stderr);
      assert.match(printed, /`count` must be a whole number from 1 to 500; got 501\./);
      assert.doesNotMatch(printed, id === "python" ? /Traceback/ : /SyntaxError/);
    });
  }
});

/** The pages for people who make calls, as the service shows them, and the README. */
const PAGES = ["quickstart", "calls", "hash", "markdown-render", "qr-code", "uuid", "echo", "mcp"];
const README = readFileSync(path.join(ROOT, "README.md"), "utf8");
const PHOTO = Buffer.from([0xff, 0xd8, 0xff, ...Array.from({ length: 5_000 }, (_, i) => i % 251)]);
const FILES = { "README.md": README, "photo.jpg": PHOTO, "key.txt": "a secret" };

/** Every block of shell code that makes a call, and the pages that show it. */
function shownCommands(): Map<string, string[]> {
  const docs = createDocs(FULL.docs as DocsSources, FULL);
  const pages = PAGES.map((name) => [name, docs.markdown(`/docs/${name}`) ?? ""] as const);
  const commands = new Map<string, string[]>();
  for (const [name, text] of [...pages, ["README", README] as const]) {
    for (const [, code = ""] of text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)) {
      // The first start prints the key that this one shows.
      if (!/(?:^|\| )curl /m.test(code) || code.includes("tb_...")) continue;
      commands.set(code, [...(commands.get(code) ?? []), name]);
    }
  }
  return commands;
}

/** Runs code of a page in a folder with the files that it reads. */
async function runShown(language: Runnable, code: string) {
  const cwd = mkdtempSync(path.join(folder, "shown-"));
  const given = { ...FILES, ".curlrc": "fail\nsilent\nshow-error\n" };
  for (const [name, content] of Object.entries(given)) writeFileSync(path.join(cwd, name), content);
  const script = code.replaceAll(/https?:\/\/[\w.:]+(?=\/(?:api|mcp))/g, base);
  const shown = { folder: cwd, env: { ...env, CURL_HOME: cwd } };
  const { stdout } = await runSample(language, script, shown);
  const written = readdirSync(cwd).filter((name) => !(name in given) && name !== language.file);
  return {
    stdout: String(stdout),
    files: written.map((name) => readFileSync(path.join(cwd, name))),
  };
}

describe("the commands on the pages", { skip: SHELL.skip }, () => {
  const commands = shownCommands();

  it("are as many as people see", () => {
    const bare = [...commands.keys()].filter((code) => code.includes("Accept: "));
    const pages = new Set([...commands.values()].flat());
    assert.deepEqual([...pages].toSorted(), [...PAGES, "README"].toSorted());
    assert.ok(bare.length >= 13, `${bare.length} of ${commands.size} ask for a bare result`);
  });

  for (const [command, pages] of commands) {
    it(`${pages.join(", ")}: ${command.trim().slice(0, 300)}`, async () => {
      const { stdout, files } = await runShown(SHELL, `set -eu\n${command}`);
      if (!command.includes("Accept: ")) {
        for (const line of stdout.trim().split("\n")) assert.ok(JSON.parse(line), line);
        return;
      }
      for (const [, type = ""] of command.matchAll(/Accept: ([\w/+]+)/g)) {
        switch (type) {
          case "image/png":
            assert.ok(files.some((bytes) => bytes.subarray(1, 4).toString() === "PNG"));
            break;
          case "image/svg+xml":
            assert.ok(files.some((bytes) => bytes.toString().startsWith("<svg ")));
            break;
          case "text/html":
            assert.ok(stdout.includes("<h1>Toolbooth</h1>"), stdout.slice(0, 100));
            break;
          case "text/plain":
            assert.doesNotMatch(stdout, /^\{/);
            assert.ok(stdout.length > 30);
            break;
          default:
            assert.fail(`${type} is unknown here`);
        }
      }
      const isDigest = /\/hash["? ]/.test(command) && !/algorithm|hmacKey/.test(command);
      if (isDigest && command.includes("photo.jpg")) {
        const digest = createHash("sha256").update(PHOTO).digest("hex");
        assert.ok(stdout.endsWith(`${digest}\n`), stdout);
      }
    });
  }
});

for (const language of RUNNABLE.filter(({ id }) => Object.hasOwn(AS_JSON, id))) {
  const { id, title, skip } = language;
  it(`the page on calls sends a file in ${title}`, { skip }, async () => {
    const docs = createDocs(FULL.docs as DocsSources, FULL);
    const text = docs.markdown("/docs/calls") ?? "";
    const [, code = ""] = new RegExp(`^\`\`\`${id}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text) ?? [];
    const { stdout } = await runShown(language, code);
    assert.ok(stdout.includes("<h1>Toolbooth</h1>"), stdout.slice(0, 100));
  });
}

describe("the samples that verify webhooks", () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const body = '{"type":"test","timestamp":"2026-11-22T10:00:00.000Z","data":{}}';
  const signedAt = (at: number) => ({
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", new Date(at), body),
  });
  const sample = (mark: string) => {
    const text = FULL.docs?.["webhooks.md"] ?? "";
    return new RegExp(`^\`\`\`${mark}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)?.[1] ?? "";
  };

  it("JavaScript: takes headers as a plain object, and rejects Headers", async (t) => {
    symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    const file = path.join(folder, "webhook.mjs");
    writeFileSync(file, sample("js"));
    process.env["WEBHOOK_SECRET"] = secret;
    t.after(() => delete process.env["WEBHOOK_SECRET"]);
    const { read } = (await import(pathToFileURL(file).href)) as {
      read(body: string, headers: object): unknown;
    };
    const sent = signedAt(Date.now());
    assert.deepEqual(read(body, sent), JSON.parse(body));
    const { headers } = new Request("http://localhost", { headers: sent });
    assert.deepEqual(read(body, Object.fromEntries(headers)), JSON.parse(body));
    assert.throws(() => read(body, headers), /Missing required headers/);
    assert.throws(() => read(`${body} `, sent), /No matching signature/);
    assert.throws(() => read(body, signedAt(Date.now() - 3_600_000)), /timestamp too old/);
    assert.match(sample("js"), /a plain object/);
  });

  it("Python: takes what is signed, and nothing else", { skip: PYTHON.skip }, async () => {
    const file = path.join(folder, "webhook.py");
    const call =
      "import sys\nbody, headers = json.load(sys.stdin)\nprint(read(body.encode(), headers))";
    writeFileSync(file, `${sample("python")}\n${call}\n`);
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const read = (text: string, headers: object) =>
      spawnSync(PYTHON.program, [file], {
        env,
        encoding: "utf8",
        input: JSON.stringify([text, headers]),
      });
    const sent = signedAt(Date.now());
    assert.match(read(body, sent).stdout, /'type': 'test'/);
    assert.match(read(`${body} `, sent).stderr, /not signed by Toolbooth/);
    assert.match(read(body, signedAt(Date.now() - 3_600_000)).stderr, /too old/);
  });
});

describe("samples in languages that this machine may lack", () => {
  const url = "https://api.test/api/v1/echo";

  it("quotes JSON for Go: raw where it can", () => {
    assert.match(goCode({ url, body: { a: "it's" } }), /strings\.NewReader\(`\{"a":"it's"\}`\)/);
    assert.match(goCode({ url, body: "`" }), /strings\.NewReader\("\\"`\\""\)/);
    assert.match(goCode({ url, body: undefined }), /"POST", "[^"]+", nil\)/);
  });

  it("writes a value in PHP's words", () => {
    const body = { text: "$x \\b \b \u0001 é", empty: {}, list: [1, null, true] };
    assert.ok(
      phpCode({ url, body }).includes(
        '["text" => "\\$x \\\\b \\x08 \\u{0001} é", "empty" => new stdClass(), "list" => [1, null, true]]',
      ),
      phpCode({ url, body }),
    );
  });
});
