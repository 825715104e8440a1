/**
 * A recording of what tests send to a service: requests, and the commands behind the scenes. Played against two states of the
 * code, it shows every response that changed.
 *
 * What began before another thing had ended does so again when it is played, so that calls which meet each other still do.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "../http/ledger-access.ts";
import {
  entriesOf,
  type Opened,
  type Opener,
  type Sent,
  type TestServiceSettings,
} from "../http/test-api.ts";

type Step =
  | { starts: number; request: RecordedRequest }
  | { starts: number; command: Command }
  | { ends: number };

type RecordedRequest = {
  path: string;
  method: string;
  headers: [string, string][];
  /** In base64; null for none. */
  body: string | null;
  chunked: boolean;
};

/** What was asked of one service, in order. */
export type Session = { settings: TestServiceSettings; steps: Step[] };

export type Played =
  | { request: string; status: number; headers: [string, string][]; body: string }
  | { command: string; result: unknown }
  | { failed: string };

/** Opens the same services, and writes a session of each into the folder when it is closed. */
export function recorded(opener: Opener, folder: string): Opener {
  return {
    ...opener,
    async open(settings) {
      const opened = await opener.open(settings);
      const steps: Step[] = [];
      let count = 0;
      const during = async <Result>(step: object, act: () => Promise<Result>) => {
        count += 1;
        const no = count;
        steps.push({ starts: no, ...step } as Step);
        try {
          return await act();
        } finally {
          steps.push({ ends: no });
        }
      };
      return {
        fetch: (to, sent) =>
          during({ request: describe(to, sent) }, async () => {
            const response = await opened.fetch(to, sent);
            const bytes = await response.arrayBuffer();
            const { status, headers } = response;
            return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
          }),
        perform: (command) => during({ command }, () => opened.perform(command)),
        async close() {
          write(folder, { settings, steps });
          await opened.close();
        },
      };
    },
  };
}

let sessions = 0;
function write(folder: string, session: Session): void {
  sessions += 1;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${process.pid}-${sessions}.json`), JSON.stringify(session));
}

function describe(to: string, { method = "GET", headers, body, chunked }: Sent): RecordedRequest {
  const bytes = body === undefined ? null : Buffer.from(body).toString("base64");
  return { path: to, method, headers: entriesOf(headers), body: bytes, chunked: chunked === true };
}

/** Sends a session to a service of its own, whose clock stands still. */
export async function playSession(opener: Opener, session: Session): Promise<Played[]> {
  const opened = await opener.open({ ...session.settings, fixed: true });
  const running = new Map<number, Promise<Played>>();
  const played: Played[] = [];
  try {
    for (const step of session.steps) {
      if (!("ends" in step)) running.set(step.starts, perform(opened, step));
      else played.push(await (running.get(step.ends) as Promise<Played>));
    }
  } finally {
    await opened.close();
  }
  return played;
}

async function perform(opened: Opened, step: Exclude<Step, { ends: number }>): Promise<Played> {
  try {
    if ("command" in step) {
      const { command } = step;
      return { command: JSON.stringify(command), result: await opened.perform(command) };
    }
    const { path: to, method, headers, body, chunked } = step.request;
    const sent = { method, headers, chunked };
    const response = await opened.fetch(
      to,
      body === null ? sent : { ...sent, body: Buffer.from(body, "base64") },
    );
    return {
      request: `${method} ${to}`,
      status: response.status,
      headers: [...response.headers].sort(([a], [b]) => (a < b ? -1 : 1)),
      body: Buffer.from(await response.arrayBuffer()).toString("latin1"),
    };
  } catch (error) {
    return { failed: String(error) };
  }
}

/** Headers that tell the time or the connection, not the service. */
const OF_THE_MOMENT = new Set(["date", "server-timing"]);

/** One line for each difference of two plays of the same sessions. */
export function compare(before: readonly Played[], after: readonly Played[]): string[] {
  const differences: string[] = [];
  for (const [at, one] of before.entries()) {
    const [was, is] = [textOf(one), textOf(after[at])];
    if (was === is) continue;
    const from = [...was].findIndex((char, no) => char !== is[no]);
    const start = Math.max(0, from - 60);
    differences.push(
      `${at}: ${nameOf(one)}\n  - ${was.slice(start, from + 200)}\n  + ${is.slice(start, from + 200)}`,
    );
  }
  return differences;
}

const nameOf = (one: Played): string =>
  "request" in one ? one.request : "command" in one ? one.command.slice(0, 200) : one.failed;

function textOf(one: Played | undefined): string {
  if (one === undefined || !("request" in one)) return JSON.stringify(one) ?? "nothing";
  const headers = one.headers.filter(([name]) => !OF_THE_MOMENT.has(name));
  return JSON.stringify([one.status, headers, one.body]);
}
