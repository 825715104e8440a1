import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { curlCode, fetchCode, goCode, phpCode, pythonCode } from "#site/request-code.ts";
import { TOOLS } from "#tools/registry.ts";
import { openNodeSocket } from "../http/node-socket.ts";
import { type Caller, createCaller, openService, type TestService } from "../http/test-api.ts";
import { findProgram, type Program } from "./find-program.ts";

/**
 * Every sample of the documentation runs against a server: all examples of a tool with curl, the first one in each language that
 * the machine has.
 */
type Language = {
  name: string;
  program: Program;
  /** The file that the code is written to; its name tells some programs the language. */
  file: string;
  run: (file: string) => string[];
  code: typeof curlCode;
  /** The sample prints for people; here its output is JSON. */
  printJson?: [shown: string, instead: string];
};

const LANGUAGES: Language[] = [
  {
    name: "curl",
    program: { ...findProgram("curl", "--version"), path: "sh" },
    file: "sample.sh",
    run: (file) => [file],
    code: curlCode,
  },
  {
    name: "JavaScript",
    program: { path: process.execPath, skip: false },
    file: "sample.mjs",
    run: (file) => [file],
    code: fetchCode,
    printJson: ["console.log(result)", "console.log(JSON.stringify(result))"],
  },
  {
    name: "Python",
    program: findProgram("python3", "--version"),
    file: "sample.py",
    run: (file) => [file],
    code: pythonCode,
    printJson: ["print(json.load(response))", "print(json.dumps(json.load(response)))"],
  },
  {
    name: "Go",
    program: findProgram("go", "version"),
    file: "sample.go",
    run: (file) => ["run", file],
    code: goCode,
  },
  {
    name: "PHP",
    program: findProgram("php", "--version"),
    file: "sample.php",
    run: (file) => [file],
    code: phpCode,
  },
];

let service: TestService;
let caller: Caller;
let base = "";
let folder = "";
before(async () => {
  // The clock stands still and random bytes repeat, so a call and its repetition have the same response.
  const settings = { rateLimit: 0, fixed: true } as const;
  const open = async () => {
    const opened = await openNodeSocket(settings);
    base = `http://127.0.0.1:${opened.port}`;
    return opened;
  };
  service = await openService({ name: "samples", cannot: {}, open }, settings);
  caller = await createCaller(service, { credits: 1_000 });
  folder = mkdtempSync(path.join(tmpdir(), "toolbooth-samples-"));
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const { name, program, file, run, code, printJson } of LANGUAGES) {
  describe(`samples in ${name}`, { skip: program.skip }, () => {
    for (const tool of TOOLS) {
      for (const example of name === "curl" ? tool.examples : tool.examples.slice(0, 1)) {
        it(`${tool.name}, ${example.name}: prints what the API responds`, async () => {
          const call = { url: `${base}/api/v1/${tool.name}`, body: example.request };
          const shown = code(call);
          const [found, instead] = printJson ?? ["", ""];
          assert.ok(shown.includes(found), shown);
          writeFileSync(path.join(folder, file), shown.replace(found, instead));
          const { stdout } = await promisify(execFile)(program.path, run(path.join(folder, file)), {
            env: { ...process.env, TOOLBOOTH_KEY: caller.key, NO_PROXY: "127.0.0.1" },
            timeout: 120_000,
          });
          const expected = await caller.call(tool.name, example.request);
          assert.equal(expected.status, 200, expected.text);
          assert.deepEqual(JSON.parse(stdout), expected.json());
        });
      }
    }
  });
}

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
