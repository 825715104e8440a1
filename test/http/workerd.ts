/** The Worker in workerd over the Durable Objects of its accounts, called through sockets. */
import { after } from "node:test";
import { bundleWorker, startEdge } from "./edge.ts";
import type { Command } from "./ledger-access.ts";
import { fetchOver } from "./node-socket.ts";
import { createShared } from "./shared.ts";
import {
  entriesOf,
  freeCallText,
  type Opened,
  type Opener,
  PUBLIC_URL,
  SECRETS,
  type TestServiceSettings,
} from "./test-api.ts";
import type { AbandonOrder, OpenOrder } from "./worker.ts";

export const WORKER = "http/worker.ts";

const shared = createShared(async () => startEdge((await bundleWorker(WORKER)).code));
let services = 0;

/** At the top of a test file: workerd runs until its tests have ended. */
export function keepWorkerd(): void {
  shared.hold();
  after(shared.release);
}

export type OpenedWorkerd = Opened & {
  port: number;
  /** The header that names the service. */
  service: [string, string];
  abandon(order: AbandonOrder): Promise<void>;
};

export async function openWorkerd(settings: TestServiceSettings): Promise<OpenedWorkerd> {
  const { rateLimit, fixed, bodyTimeoutMs = null } = settings;
  shared.hold();
  const { base, port } = await shared.get();
  services += 1;
  const service: [string, string] = ["x-test-service", String(services)];
  const command = (to: string, value: unknown) =>
    fetchOver(base, to, { method: "POST", headers: [service], body: JSON.stringify(value) });
  const order: OpenOrder = {
    texts: {
      ...{ PUBLIC_URL, SECRET: SECRETS.join(","), RATE_LIMIT: String(rateLimit) },
      ...freeCallText(settings),
    },
    fixed: fixed === true,
    bodyTimeoutMs,
  };
  const opened = await command("/test/open", order);
  if (!opened.ok) throw new Error(await opened.text());
  return {
    port,
    service,
    async abandon(order) {
      const response = await command("/test/abandon", {
        ...order,
        headers: [...order.headers, service],
      });
      if (!response.ok) throw new Error(await response.text());
    },
    fetch: (to, sent) =>
      fetchOver(base, to, { ...sent, headers: [...entriesOf(sent.headers), service] }),
    async perform(order: Command) {
      const response = await command("/test/perform", order);
      const result = (await response.json()) as { value?: unknown; error?: string };
      if (result.error !== undefined) throw new Error(result.error);
      return result.value;
    },
    close: shared.release,
  };
}

export const workerd: Opener = {
  name: "in workerd",
  cannot: { compress: "at the edge the platform compresses, in front of workerd" },
  open: openWorkerd,
};
