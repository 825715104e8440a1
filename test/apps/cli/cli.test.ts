import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { COMMANDS } from "#apps/cli/program.ts";
import { version } from "#apps/node/runtime.ts";
import { PROGRAM, commandLine as printedCommand } from "#command-line.ts";
import { commandLine, commandProcess, start, temporaryFolder } from "./fixture.ts";

const NAMES = COMMANDS.map(({ name }) => name);
const flagOf = (name: string) => `--${name.replaceAll(/[A-Z]/g, (at) => `-${at.toLowerCase()}`)}`;

describe("the command line", { concurrency: 2 }, () => {
  const dataDir = path.join(temporaryFolder(), "never-made");
  const cli = commandLine(dataDir);
  const alone = commandProcess(dataDir);

  test("help shows every command, and every group its commands", async () => {
    const { status, stdout, stderr } = await cli.run("help");
    assert.deepEqual([status, stderr], [0, ""]);
    for (const name of NAMES)
      assert.match(stdout, new RegExp(`^  ${name.split(" ")[0]} `, "m"), name);
    assert.ok(stdout.split("\n").every((line) => line.length <= 120));
    assert.equal((await cli.json("help")).help, stdout);
    const groups = new Set(
      NAMES.filter((name) => / /.test(name)).map((name) => name.split(" ")[0]),
    );
    for (const group of groups) {
      const { stdout: own } = await cli.run(`${group} --help`);
      assert.deepEqual(await cli.run(`help ${group}`), { status: 0, stdout: own, stderr: "" });
      for (const name of NAMES.filter((each) => each.startsWith(`${group} `)))
        assert.match(own, new RegExp(`^  ${name.split(" ")[1]} `, "m"), name);
    }
  });

  test("--help explains every command with its options and an example", async () => {
    for (const { name, input, positionals, example } of COMMANDS) {
      const { status, stdout } = await cli.run(`${name} --help`);
      assert.equal(status, 0, name);
      assert.deepEqual(await cli.run(`help ${name}`), { status: 0, stdout, stderr: "" });
      assert.match(stdout, new RegExp(`^Usage: npm run -s toolbooth -- ${name}\\b`));
      assert.ok(stdout.includes(`Example: ${PROGRAM} ${example}`), name);
      for (const member of Object.keys(input.shape))
        if (!positionals.includes(member) && member !== "after")
          assert.match(
            stdout,
            new RegExp(`^  ${flagOf(member)}(?: <\\S+>)?  +\\w`, "m"),
            `${name} ${member}`,
          );
    }
  });

  test("docs/cli.md describes every command with its options and an example", () => {
    const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
    for (const { name, input, positionals } of COMMANDS) {
      const [, heading = ""] = new RegExp(`^### \`(${name}(?: [^\`]*)?)\``, "m").exec(page) ?? [];
      assert.ok(heading !== "", `docs/cli.md has the heading \`${name}\``);
      for (const member of Object.keys(input.shape)) {
        if (positionals.includes(member) || (member === "after" && name !== "account list"))
          continue;
        assert.ok(heading.includes(flagOf(member)), `docs/cli.md: ${name} ${flagOf(member)}`);
      }
      assert.match(page, new RegExp(`^\\$ (?:DATA_DIR=\\S+ )?toolbooth ${name}`, "m"), name);
    }
  });

  test("without a command it shows the help, and --version shows the version", async () => {
    const help = await cli.run("help");
    assert.deepEqual(await cli.run("--help"), help);
    assert.deepEqual(await cli.run("--version"), { status: 0, stdout: `${version}\n`, stderr: "" });
    assert.deepEqual(await cli.json("--version"), { version });
  });

  test("a printed command is quoted for a shell, and names the service of --remote", async () => {
    const odd = printedCommand("key create", "o'brien@b.co", "--label", "my key");
    const { stdout } = spawnSync("sh", ["-c", odd.replace(PROGRAM, "printf '%s\\n'")]);
    assert.equal(`${stdout}`, "key\ncreate\no'brien@b.co\n--label\nmy key\n");
    const line = "credits grant a@b.co -1 --remote http://127.0.0.1:9";
    const { status, stderr } = await cli.run(line);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /npm run -s toolbooth -- --remote http:\/\/127\.0\.0\.1:9 credits grant --help/,
    );
  });

  const wrong: [line: string, sentence: RegExp][] = [
    ["nonsense", /^Unknown command 'nonsense'\.$/],
    ["key crate a@b.co", /^Unknown command 'crate'\. Did you mean create\?$/],
    ["account", /^The command account needs a subcommand\.$/],
    ["account create", /^Missing required argument 'email'\.$/],
    ["account create a@b", /^<email> must be a complete email address.+got "a@b"\.$/],
    ["account list more", /^Too many arguments/],
    ["account create a@b.co --credit 5", /^Unknown option '--credit'\. Did you mean --credits\?$/],
    ["account create a@b.co --credits", /^Option '--credits <N>' argument missing\.$/],
    ["account create a@b.co --credits -5", /from 0 to 1000000000000; got "-5"/],
    ["account list --max 0", /^--max must be a whole number from 1/],
    ["credits clawback operator:x", /^Missing required argument 'N'\.$/],
    ["credits grant a@b.co -5", /from 1 to 1000000000000; got "-5"/],
    ["credits grant a@b.co 5 --expires tomorrow", /^--expires must be a date.+got "tomorrow"/],
    ["credits grant a@b.co 5 --expires 2099-02-29", /got "2099-02-29"/],
    ["credits grant a@b.co 5 --expires 2099-01-01T00:00:00", /with its offset/],
    ["price set hash 3", /^Required option '--account <EMAIL>' not specified\.$/],
    ["key create a@b.co", /^Required option '--label <L>' not specified\.$/],
    ["key revoke tb_secret", /^<id> must be the id of a key, which starts with key_.+ids\.$/],
    ["key limit key_Ada0000000000000000001", /^Key limit requires a limit, for example/],
    ["key rotate key_Ada0000000000000000001 --again --keep 2h", /^--again and --keep exclude/],
    ["report --from 2026-01-01", /^Required option '--to <DATE>' not specified/],
    ["report --from 2026-01-02 --to 2026-01-01", /^--from must not be after --to\.$/],
    ["report --from 2026-01-01 --to 2026-01-01 --csv", /either --csv or --json/],
    ["export", /requires a file/],
    // Neither works on the service, nor silently on the data folder of this machine.
    [
      "restore copy.sqlite --remote https://a.example",
      /^restore works on files on this.+without --remote/,
    ],
    ["audit --file copy.sqlite --remote https://a.example", /^audit --file works on files on this/],
    ["check --remote https://a.example", /^check works on files on this machine/],
  ];
  for (const [line, expected] of wrong) {
    test(`rejects "${line}" as wrong usage before it asks a server`, async () => {
      assert.match(await cli.wrong(line), expected);
    });
  }

  test("a reader that stops early gets no stack trace", async () => {
    const child = start(["help"], {});
    child.stdout?.destroy();
    const [stderr, [status]] = await Promise.all([
      child.stderr?.toArray().then((chunks) => Buffer.concat(chunks).toString()),
      once(child, "exit"),
    ]);
    assert.equal(stderr, "The program that reads standard output stopped before the end.\n");
    assert.equal(status, 1);
  });

  test("a process with wrong usage exits with 2, and says how to get help on standard error", async () => {
    assert.match(await cli.wrong("key crate a@b.co"), /Did you mean create\?/);
    const { status, stdout, stderr } = await alone.run("credits grant a@b.co -5");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(
      stderr,
      /got "-5"\.\nFor help, run npm run -s toolbooth -- credits grant --help\n/,
    );
    assert.match(
      (await cli.run("key")).stderr,
      /\nFor help, run npm run -s toolbooth -- help key\n/,
    );
  });

  for (const line of [
    "account list",
    "audit",
    "report --from 2026-01-01 --to 2026-01-02",
    "backup FOLDER/copy",
    "export FOLDER/lines",
  ]) {
    test(`"${line.split(" FOLDER")[0]}" without a server says in one sentence how to start one, and creates nothing`, async () => {
      const folder = temporaryFolder();
      assert.equal(
        await cli.refused(line.replace("FOLDER", folder)),
        `No server is running on the data folder ${dataDir}. Start one with \`${PROGRAM} start\`, then run the command again.`,
      );
      assert.deepEqual(readdirSync(folder), []);
      assert.ok(!existsSync(dataDir));
    });
  }

  test("with only DATABASE_URL it says where to run the command", async () => {
    const env = { DATABASE_URL: "postgres://ada:hush-hush@db.example/toolbooth" };
    const sentence = await cli.refused("account list", { env });
    assert.match(
      sentence,
      /reaches PostgreSQL only through a server\. .+docker compose exec, or .+--remote\.$/,
    );
    assert.doesNotMatch(sentence, /hush/);
    assert.match(await cli.refused("restore x", { env }), /with its own tools, such as pg_restore/);
  });

  test("says that a file is not a data folder, and that a text is not a backup", async () => {
    const file = path.join(temporaryFolder(), "text.md");
    writeFileSync(file, "hello\n".repeat(999));
    const env = { DATA_DIR: file };
    assert.match(
      await cli.refused("account list", { env }),
      /^DATA_DIR must be a folder, but .+ file/,
    );
    const { status, stdout } = await cli.run(`audit --file ${file}`);
    assert.equal(status, 1);
    assert.match(stdout, /is not a database, so it is not a backup.+\.\n$/);
  });

  test("reports invalid settings", async () => {
    const env = { TOOLBOOTH_STARTER_CREDIT: "5" };
    assert.match(await cli.refused("audit", { env }), /Did you mean TOOLBOOTH_STARTER_CREDITS\?/);
  });
});
