/**
 * A deployed service as the operator API sees it, in this process: an own database for each account's ledger, as the
 * objects at the edge have, and one for the dashboard (D1). It can be reached over the loopback as well.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { getRequestListener } from "@hono/node-server";
import {
  createOperatorApp,
  type OperatorAppWiring,
  type OperatorPeer,
} from "#api/operator/operator-app.ts";
import { hashKey } from "#apps/node/runtime.ts";
import { createMail, emailSealer } from "#email/email-queue.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import type { Ledger } from "#ledger/port.ts";
import type { OperatorAction } from "#operator/actions.ts";
import type { OperatorContext } from "#operator/context.ts";
import { exportRecords } from "#stores/durable-object/exports.ts";
import type { MovingStub } from "#stores/durable-object/rpc.ts";
import { exportObjects, importsOfObjects } from "#stores/durable-object/transfer.ts";
import { countWrites } from "#stores/durable-object/writes.ts";
import { type BatchResult, ledgerOver, unwrap } from "#stores/ledger/store-ledger.ts";
import { d1Edge } from "#stores/schema/d1-migrations.ts";
import { createActivityLog } from "#stores/sql/activity-log.ts";
import { createAccountIndex, createDirectory, listAccountOf } from "#stores/sql/directory.ts";
import { createEmailQueue } from "#stores/sql/emails.ts";
import { exportOthers } from "#stores/sql/export-records.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createBatchRunner, isRead, resultOf } from "#stores/sqlite/batch.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createSqliteImports } from "#stores/sqlite/imports.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { createSqliteReads } from "#stores/sqlite/reads.ts";
import type { Json } from "../../apps/cli/fixture.ts";
import { openMemorySqlite } from "../../support/memory-sqlite.ts";

export const TOKEN = "the operator's own token of the tests".replaceAll(" ", "-");
export const SECRETS = ["the secret of the deployed service"];
export const BASE = "https://edge.test";

/** What an object has: a database of its own, and the two ways in. */
function createObject() {
  const driver = openMemorySqlite();
  const run = createBatchRunner(driver, { createReads: createSqliteReads });
  const writes = countWrites();
  const imports = createSqliteImports(driver);
  const stub: MovingStub = {
    move: (name, order) =>
      resultOf(() =>
        name === "exportRecords"
          ? exportRecords(driver, writes, order as never)
          : imports[name](order as never),
      ),
  };
  const perform = (name: Parameters<typeof isRead>[0], order: unknown) =>
    resultOf(() => {
      if (!isRead(name)) writes.begin();
      return unwrap(run([[name, order]])[0] as BatchResult);
    });
  return { driver, stub, perform };
}

type Changed = Partial<Omit<OperatorAppWiring, "context">> & {
  context?: Partial<OperatorContext>;
};
type TestObject = ReturnType<typeof createObject>;

export type Deployment = ReturnType<typeof createDeployment>;

export function createDeployment(changed: Changed = {}) {
  const objects = new Map<string, TestObject>();
  const find = ({ account }: { account: string }) => {
    const found = objects.get(account) ?? createObject();
    objects.set(account, found);
    return found;
  };
  const d1: NodeSqlite = openMemorySqlite();
  d1.exec(d1Edge);
  after(() => {
    for (const { driver } of [...objects.values(), { driver: d1 }]) driver.close();
  });
  const db = createSqliteDatabase(d1);
  const index = createAccountIndex(db);
  const ledger: Ledger = ledgerOver(async (name, order) =>
    unwrap(await find(order as { account: string }).perform(name, order)),
  );
  const directory = createDirectory(db, { onRegister: listAccountOf });
  const actions = createOperatorActions(db);
  const random = (count: number) => randomBytes(count);
  const accountDeps = { ledger, directory, secrets: SECRETS, keyPrefix: "tb_", random, hashKey };
  const told: { message: string; action: string }[] = [];
  const loggedErrors: unknown[] = [];
  let requests = 0;
  const findObject = (order: { account: string }) => find(order).stub;
  const context: OperatorContext = {
    ...{ ledger, directory, actions, accountDeps },
    keyBounds: { tools: ["echo", "hash", "qr-code"], callsPerSecond: 100 },
    notify: {
      ...{ activityLog: createActivityLog(db), publicUrl: "https://edge.test", name: "Toolbooth" },
      mail: createMail({
        ...{
          queue: createEmailQueue(db),
          transportKind: "smtp",
          sealer: emailSealer(SECRETS),
          random,
          now: Date.now,
          logError() {},
        },
      }),
    },
    purchases: createPurchaseStore(db),
    jobs: operatorJobs([createJobQueue(db)]),
    ...{ billing: null, index, whole: null, requests: null },
    imports: importsOfObjects(findObject),
    // Few accounts at once, so that an export takes several requests.
    exportRecords: (after) =>
      exportObjects(findObject, { index, others: exportOthers(db, "sqlite"), after, max: 3 }),
    backup: "The platform has backups of its own.",
    keptSecrets: async () => null,
    pause: async () => {},
    ...changed.context,
  };
  const wiring: OperatorAppWiring = {
    token: TOKEN,
    now: () => Date.now(),
    newRequestId() {
      requests += 1;
      return `req_${requests}`;
    },
    waitUntil: () => {},
    logAction: (message, { action }) => told.push({ message, action }),
    logError: (_, { cause }) => loggedErrors.push(cause),
    ...changed,
    context,
  };
  return {
    app: createOperatorApp(wiring),
    /** As after a restart, with nothing in memory. */
    restarted: () => createOperatorApp(wiring),
    ...{ context, ledger, directory, index, actions, d1, objects, told },
    loggedErrors,
  };
}

/**
 * The deployment at an address of this machine, until the test that calls this is over or whenever `atEnd` says. `before` may
 * answer in its place, or break off.
 */
export const PEER: OperatorPeer = { address: "::1", isLocal: false };

export async function serve(
  app: { fetch(request: Request, from: OperatorPeer): Promise<Response> },
  before: (request: Request) => Response | Promise<Response | undefined> | undefined = () =>
    undefined,
  atEnd: (close: () => void) => void = after,
): Promise<string> {
  const server = createServer(
    getRequestListener(async (request) => (await before(request)) ?? app.fetch(request, PEER), {
      overrideGlobalObjects: false,
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One order, as a client sends it. `name` is the command: `credits grant`. */
export async function ask(
  { app }: Pick<Deployment, "app">,
  name: string,
  input: unknown,
  headers: Record<string, string> = {},
) {
  const request = new Request(`${BASE}/operator/${name.replaceAll(" ", "/")}`, {
    ...{ method: "POST", body: JSON.stringify(input) },
    headers: { Authorization: `Bearer ${TOKEN}`, ...headers },
  });
  const response = await app.fetch(request, { address: "192.0.2.7", isLocal: false });
  const text = response.headers.has("toolbooth-result") ? "null" : await response.text();
  const { status } = response;
  return { status, headers: response.headers, body: JSON.parse(text) as Json };
}

/** The header of an order that may be sent again. */
export const orderId = (id: string) => ({ "Idempotency-Key": id.padEnd(16, "0") });

export const ADA = "ada@example.org";

/** One with an account, opened by an operator. */
export async function openDeployment(changed: Changed = {}) {
  const deployment = createDeployment(changed);
  const { body } = await ask(deployment, "account create", { email: ADA, credits: 5 });
  const { id } = body.result;
  assert.deepEqual(body.result, { id, email: ADA, balance: 5 });
  return {
    ...{ deployment, id: id as string },
    ask: (name: string, given: object, headers?: Record<string, string>) =>
      ask(deployment, name, given, headers),
  };
}

/** What the service has noted of operators, newest first. */
export const linesOf = async ({ actions }: Pick<Deployment, "actions">) =>
  (await actions.list({ after: null, max: 100 })).actions.map((line) =>
    [line.action, line.subject, endOf(line), line.address].join(" | "),
  );

export const endOf = ({ outcome, detail }: Pick<OperatorAction, "outcome" | "detail">) =>
  detail === null ? outcome : `${outcome}: ${detail}`;
