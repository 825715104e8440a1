import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { readArguments } from "#apps/cli/arguments.ts";
import { CommandError, type Outcome, UsageError } from "#apps/cli/command.ts";
import { COMMANDS, findCommand } from "#apps/cli/commands.ts";
import { version } from "#apps/node/runtime.ts";
import { PROGRAM, commandLine as printedCommand } from "#command-line.ts";
import { readConfig } from "#config/config.ts";
import { commandLine, commandProcess, type Json, temporaryFolder } from "./fixture.ts";

const NAMES = COMMANDS.map(({ name }) => name);

/** Runs a command in this process, for tests of its error. */
async function runHere(typed: string[], dataDir: string): Promise<Outcome> {
  const { command, rest } = findCommand(typed);
  const { args } = readArguments(command, rest);
  const config = readConfig({ DATA_DIR: dataDir });
  const invocation = { config, remote: null, json: true, now: Date.now(), log: () => {} };
  return command.run(invocation, args);
}

describe("the command line", { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  const dataDir = path.join(folder, "never-made");
  const cli = commandLine(dataDir);
  const alone = commandProcess(dataDir);

  test("help shows every command with its usage", async () => {
    const { status, stdout, stderr } = await cli.run("help");
    assert.deepEqual([status, stderr], [0, ""]);
    for (const name of NAMES) assert.match(stdout, new RegExp(`^  ${name} .*[\\w)]$`, "m"));
    // The options of `key create` made every line of the list longer than 230 characters.
    assert.ok(stdout.split("\n").every((line) => line.length <= 160));
    const { commands } = await cli.json("help");
    assert.deepEqual(
      commands.map(({ name }: Json) => name),
      NAMES,
    );
  });

  test("--help explains a command with an example", async () => {
    for (const line of ["key create --help", "help key create", "key create a@b.c -h"]) {
      const { status, stdout } = await cli.run(line);
      assert.equal(status, 0);
      assert.match(stdout, /^Usage: .* key create <email> --label L/);
      assert.match(stdout, /^Example: /m);
    }
  });

  test("docs/cli.md describes every command with its usage and an example", async () => {
    const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
    const { commands } = await cli.json("help");
    for (const { name, usage } of commands) {
      assert.ok(page.includes(`### \`${usage}\``), `docs/cli.md has the heading \`${usage}\``);
      assert.match(
        page,
        new RegExp(`^\\$ (?:DATA_DIR=\\S+ )?toolbooth ${name}`, "m"),
        `docs/cli.md shows ${name}`,
      );
    }
  });

  test("without a command it shows the help, and --version shows the version", async () => {
    const help = await cli.run("help");
    assert.deepEqual(await cli.run("--"), help);
    assert.deepEqual(await cli.run("--help"), help);
    assert.deepEqual(await cli.run("--version"), { status: 0, stdout: `${version}\n`, stderr: "" });
    assert.deepEqual(await cli.json("--version"), { version });
    assert.match(await cli.wrong("--verbose"), /^--verbose needs a command\./);
  });

  test("help is there after any command and the first word of any", async () => {
    for (const name of NAMES) {
      const helps = [`${name} --help`, `help ${name}`, `${name} -h`, `--help ${name}`];
      const [first, ...others] = await Promise.all(helps.map((line) => cli.run(line)));
      assert.equal(first?.status, 0, name);
      assert.match(first?.stdout ?? "", new RegExp(`^Usage: npm run -s toolbooth -- ${name}\\b`));
      for (const other of others) assert.deepEqual(other, first, name);
    }
    const groups = new Set(
      NAMES.filter((name) => / /.test(name)).map((name) => name.split(" ")[0]),
    );
    assert.ok(groups.size >= 5);
    for (const group of groups) {
      const { status, stdout } = await cli.run(`${group} --help`);
      assert.equal(status, 0);
      assert.deepEqual(await cli.run(`${group} help`), { status, stdout, stderr: "" });
      for (const name of NAMES)
        assert.equal(stdout.includes(`\n  ${name} `), name.startsWith(`${group} `), name);
    }
  });

  test("a printed command is quoted for a shell, and names the service of --remote", async () => {
    const odd = printedCommand("key create", "o'brien@b.c", "--label", "my key");
    const { stdout } = spawnSync("sh", ["-c", odd.replace(PROGRAM, "printf '%s\\n'")]);
    assert.equal(`${stdout}`, "key\ncreate\no'brien@b.c\n--label\nmy key\n");
    const env = { TOOLBOOTH_OPERATOR_TOKEN: "ada:0123456789abcdef0123456789abcdef" };
    const line = "credits grant a@b.c -1 --remote http://127.0.0.1:9";
    const { status, stderr } = await cli.run(line, { env });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^Usage: npm run -s toolbooth -- --remote http:\/\/127\.0\.0\.1:9 credits/m,
    );
  });

  const wrong: [line: string, sentence: RegExp][] = [
    ["nonsense", /^Unknown command "nonsense"\. Commands: account create, /],
    ["key crate a@b.c", /Did you mean "key create"\?/],
    ["acount list", /Did you mean "account list"\?/],
    ["accounts", /Did you mean "account"\?/],
    ["create key a@b.c", /Did you mean "key create"\?/],
    ["create-key a@b.c", /Did you mean "key create"\?/],
    ["credits clawback operator:x", /credits clawback requires <N>/],
    ["credits clawback operator:x 0", /from 1 to 1000000000000; got "0"/],
    ["account list --max 0", /--max must be a whole number from 1/],
    ["bakup x", /Did you mean "backup"\?/],
    ["account", /"account" needs a subcommand: account create, account list/],
    ["account create", /account create requires <email>/],
    ["account list more", /Unexpected argument "more" for account list/],
    ["account create a@b.c --credit 5", /Unknown option --credit\. Did you mean --credits\?/],
    ["account create a@b.c --credits", /--credits requires a value/],
    ["account create a@b.c --credits -5", /from 0 to 1000000000000; got "-5"/],
    ["account create a@b.c --credits 1e3", /got "1e3"/],
    ["credits grant a@b.c -5", /from 1 to 1000000000000; got "-5"/],
    ["credits grant a@b.c 1.5", /got "1\.5"/],
    ["credits grant a@b.c 0", /got "0"/],
    ["credits grant a@b.c 1000000000001", /got "1000000000001"/],
    ["credits grant a@b.c 5 --expires tomorrow", /got "tomorrow"/],
    ["credits grant a@b.c 5 --expires 2099-02-29", /got "2099-02-29"/],
    ["credits grant a@b.c 5 --expires 2099-01-01T00:00:00", /with its offset/],
    ["key create a@b.c", /--label is required/],
    ["key revoke tb_secret", /This is not the id of a key/],
    ["report --from 2026-01-01", /--to is required/],
    ["report --from 2026-01-02 --to 2026-01-01", /--from must not be after --to/],
    ["report --from 2026-13-01 --to 2026-01-01", /--from must be a date/],
    ["export", /requires a file/],
  ];
  for (const [line, expected] of wrong) {
    test(`rejects "${line}" as wrong usage before it opens any data`, async () => {
      await assert.rejects(
        () => runHere(line.split(" "), dataDir),
        (error) => error instanceof UsageError && expected.test(error.message),
      );
    });
  }

  test("a process with wrong usage exits with 2, prints one object with --json, and the usage on standard error", async () => {
    assert.match(await cli.wrong("key crate a@b.c"), /Did you mean "key create"\?/);
    const { status, stdout, stderr } = await alone.run("credits grant a@b.c -5");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /got "-5"\.\nUsage: .* credits grant <email> <N>/);
  });

  for (const line of [
    "account list",
    "account close a@b.c",
    "key create a@b.c --label l",
    "credits grant a@b.c 5",
    "audit",
    "report --from 2026-01-01 --to 2026-01-02",
    `backup ${folder}/copy`,
    `export ${folder}/lines`,
  ]) {
    test(`"${line.split(" /")[0]}" without data says what to do and creates no data`, async () => {
      await assert.rejects(
        () => runHere(line.split(" "), dataDir),
        (error) =>
          error instanceof CommandError &&
          /^There is no data in .*account create/.test(error.message),
      );
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  test("an invalid email address creates no data", async () => {
    assert.match(await cli.refused("account create nobody"), /"nobody" is not an email address/);
    assert.equal(existsSync(dataDir), false);
  });

  test("reports invalid settings", async () => {
    const env = { TOOLBOOTH_STARTER_CREDIT: "5" };
    assert.match(await cli.refused("audit", { env }), /Did you mean TOOLBOOTH_STARTER_CREDITS\?/);
  });
});
