/**
 * Records what the tests send, plays it against a service, and compares two plays:
 *
 *     node test/recording/main.ts record RECORDING [REQUESTS] [SEED]
 *     node test/recording/main.ts play RECORDING in-process|socket|workerd RESPONSES
 *     node test/recording/main.ts compare RESPONSES RESPONSES
 *
 * To see what a change does to responses, record once, play the recording in a checkout from before the change and in one
 * with it, and compare. Two plays of the same code are equal. The suites of the API are recorded, examples of every tool,
 * and REQUESTS requests that are made from the description with a seed (5,000 unless told otherwise).
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inProcess } from "../http/in-process.ts";
import { nodeSocket } from "../http/node-socket.ts";
import type { Opener } from "../http/test-api.ts";
import { workerd } from "../http/workerd.ts";
import { compare, type Played, playSession, type Session } from "./recording.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const RECORDED = [
  "test/http/in-process.test.ts",
  "test/api/fuzz.test.ts",
  "test/recording/examples.ts",
];
const OPENERS: Record<string, Opener> = { "in-process": inProcess, socket: nodeSocket, workerd };

type Plays = Record<string, Played[]>;
const read = <Content>(file: string) => JSON.parse(readFileSync(file, "utf8")) as Content;

function record(folder: string, requests = "5000", seed = "1"): void {
  rmSync(folder, { recursive: true, force: true });
  for (const file of RECORDED) {
    const { status } = spawnSync(
      process.execPath,
      ["--test", "--test-name-pattern=in process", file],
      {
        cwd: ROOT,
        stdio: "inherit",
        env: {
          ...process.env,
          ...{ TEST_RECORD: folder, TEST_FUZZ_RUNS: requests, TEST_SEED: seed },
        },
      },
    );
    if (status !== 0) throw new Error(`${file} failed, so its recording is not whole`);
  }
  const sessions = readdirSync(folder).map((name) => read<Session>(path.join(folder, name)));
  const count = sessions.flatMap(({ steps }) => steps).filter((step) => "request" in step).length;
  console.log(`${count} requests in ${sessions.length} sessions`);
}

async function play(folder: string, name: string, file: string): Promise<void> {
  const opener = OPENERS[name];
  if (opener === undefined) throw new Error(`There is no ${name}`);
  const plays: Plays = {};
  for (const session of readdirSync(folder).sort()) {
    plays[session] = await playSession(opener, read<Session>(path.join(folder, session)));
  }
  writeFileSync(file, JSON.stringify(plays));
  const responses = Object.values(plays).flat();
  console.log(
    `${responses.filter((each) => "request" in each).length} responses of ${opener.name}`,
  );
}

function report(before: string, after: string): void {
  const [was, is] = [read<Plays>(before), read<Plays>(after)];
  const differences = Object.entries(was).flatMap(([session, played]) =>
    compare(played, is[session] ?? []).map((each) => `${session} ${each}`),
  );
  for (const difference of differences) console.log(difference);
  console.log(`${differences.length} differences in ${Object.values(was).flat().length} steps`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}

const [command, ...given] = process.argv.slice(2);
if (command === "record" && given[0] !== undefined)
  record(path.resolve(given[0]), given[1], given[2]);
else if (command === "play" && given.length === 3)
  await play(...(given as [string, string, string]));
else if (command === "compare" && given.length === 2) report(...(given as [string, string]));
else {
  console.error("Say record, play or compare, as the comment at the top of this file shows.");
  process.exitCode = 2;
}
