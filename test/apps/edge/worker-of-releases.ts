/**
 * The API Worker and its objects in three releases: the one before this one lacks what was added since, and the one after it adds what
 * a release may add. A header names the release of the Worker; `/test/deploy` sets the code with which objects start.
 */
import { DurableObject } from "cloudflare:workers";
import type { Counted } from "#ledger/call-ledger.ts";
import { type DebitOutcome, type KeyStatus, NotCarriedOut } from "#ledger/port.ts";
import { AccountLedger as ThisLedger } from "#stores/durable-object/account-object.ts";
import type { ObjectStorage } from "#stores/durable-object/driver.ts";
import { callLedgerOfObjects, reversalsOfObjects } from "#stores/durable-object/ledger.ts";
import type { ObjectNamespace } from "#stores/durable-object/objects.ts";
import type { ReadinessStub } from "#stores/durable-object/readiness.ts";
import type { RequestLogStub } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, CallResult, LedgerStub } from "#stores/durable-object/rpc.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { sendToObject } from "#stores/durable-object/sending.ts";
import { type BatchResult, unwrap } from "#stores/ledger/store-ledger.ts";
import type { Migration } from "#stores/schema/migrations.ts";
import { createD1Database } from "#stores/sql/d1-database.ts";
import worker from "../../../src/apps/edge/api-worker.ts";
import { wrappedObjects } from "../../support/wrapped-objects.ts";

export type Release = "previous" | "this" | "next";

export type Deployment = {
  /** The release of the objects. */
  objects: Release;
  /** Further migrations of an object of this release. */
  migrations: readonly Migration[];
  /** Whether the next release breaks a rule: it sends a new outcome to orders that do not ask for it. */
  isRude: boolean;
  /** Whether the platform replaces an object of the next release after its first debit, before the response. */
  resets: boolean;
};

/** The Worker and its objects share an isolate here, which outlives objects. */
let deployed: Deployment;
let hasReset = false;
/** How often a Worker asked an object to reverse a call. */
let reversals = 0;

type State = { storage: ObjectStorage; abort(reason: string): void };
type Fields = Record<string, unknown>;

/** Without the method `performAll`, and without the optional fields of the outcomes of calls. */
class PreviousLedger extends DurableObject {
  readonly #ledger: ThisLedger;

  constructor(state: State, env: unknown) {
    super(state as never, env as never);
    this.#ledger = new ThisLedger(state, env);
  }

  perform(...given: Parameters<LedgerStub["perform"]>): ReturnType<LedgerStub["perform"]> {
    return this.#ledger.perform(...given);
  }

  async call(...given: Parameters<ThisLedger["call"]>): Promise<CallResult> {
    const result = await this.#ledger.call(...given);
    if (!("value" in result)) return result;
    const { keyId: _, keyRate: __, replayable: ___, ...outcome } = result.value.outcome as Fields;
    return { value: { ...result.value, outcome } as Counted<DebitOutcome | KeyStatus> };
  }

  reportFault(fault: string): void {
    this.#ledger.reportFault(fault);
  }

  alarm(): Promise<void> {
    return this.#ledger.alarm();
  }
}

/** With more migrations. */
class LedgerOfDeployment extends ThisLedger {
  readonly #storage: ObjectStorage;

  constructor(state: State, env: unknown) {
    super(state, env, [...OBJECT_MIGRATIONS, ...deployed.migrations]);
    this.#storage = state.storage;
  }

  /** What the next release stored. */
  notes(): object[] {
    return this.#storage.sql.exec("SELECT note FROM account").toArray();
  }
}

const MIGRATION = {
  name: "add-note",
  sql: "ALTER TABLE account ADD COLUMN note text",
  readableFrom: 1,
};
/** A new field in every outcome. */
const more = { promotion: { credits: 1 } };
const withMore = (outcome: unknown): unknown =>
  typeof outcome === "object" && outcome !== null && !Array.isArray(outcome)
    ? { ...outcome, ...more }
    : outcome;

/** With a migration, and fields, outcomes, an operation, a kind of call and a method that this release does not know. */
class NextLedger extends ThisLedger {
  readonly #state: State;

  constructor(state: State, env: unknown) {
    super(state, env, [...OBJECT_MIGRATIONS, MIGRATION]);
    this.#state = state;
  }

  override async perform(...given: Parameters<LedgerStub["perform"]>): Promise<BatchResult> {
    const [name] = given as [string, unknown];
    if (name === "holdCredits") return { value: { held: true } };
    const result = await super.perform(...given);
    return "value" in result ? { value: withMore(result.value) } : result;
  }

  override async call(...given: Parameters<ThisLedger["call"]>): Promise<CallResult> {
    const [kind, order, , isAgain] = given as [string, Fields, number | null, boolean];
    const isNew = kind === "holdAll" || order["asksForPromotion"] === true || deployed.isRude;
    if (isNew && !isAgain)
      return { value: { outcome: { outcome: "on_hold", balance: 0 }, rate: null } } as never;
    // Uses the column that it has added.
    this.#state.storage.sql.exec("UPDATE account SET note = 'by the next release'").toArray();
    const result = await super.call(...given);
    if (deployed.resets && kind === "debit" && !hasReset) {
      hasReset = true;
      this.#state.abort("Durable Object reset because its code was updated.");
    }
    if (!("value" in result)) return result;
    return {
      value: { ...result.value, ...more, outcome: withMore(result.value.outcome) },
    } as never;
  }

  holdAll(): BatchResult[] {
    return [{ value: { held: true } }];
  }
}

const OBJECTS = { previous: PreviousLedger, this: LedgerOfDeployment, next: NextLedger };

export class AccountLedger extends DurableObject {
  constructor(state: State, env: unknown) {
    super(state as never, env as never);
    // biome-ignore lint/correctness/noConstructorReturn: the platform knows one class, and a deployment replaces it.
    return new OBJECTS[deployed.objects](state, env) as never;
  }
}

type Stub = LedgerStub &
  BatchStub &
  ReadinessStub &
  RequestLogStub & { holdAll(): Promise<never>; notes(): Promise<object[]> };
type Env = Parameters<typeof worker.fetch>[1];

/** How the Worker of each release calls an object: without newer fields of orders, or with new fields and a new parameter. */
const WORKERS: Record<Release, (stub: Stub) => LedgerStub> = {
  previous: (stub) => ({
    perform: (name, order) => stub.perform(name, order),
    call(kind, order, ...rest) {
      const { address: _, tool, credits, namesKey: __, ...sent } = order as Fields;
      return stub.call(kind, kind === "debit" ? { ...sent, tool, credits } : sent, ...rest);
    },
  }),
  this: (stub) => ({
    perform: (...given) => stub.perform(...given),
    call: (...given) => stub.call(...given),
  }),
  next: (stub) => ({
    perform: (name, order) => stub.perform(name, { ...(order as object), channel: "web" }),
    call: (kind, order, ...rest) =>
      (stub.call as (...given: unknown[]) => Promise<CallResult>)(
        kind,
        { ...(order as object), channel: "web" },
        ...rest,
        { trace: "a trace" },
      ),
  }),
};

/** A Worker keeps what it creates for an `env`, so a deployment gives it another one. */
let envs = new Map<Release, Env>();

function envOf(release: Release, env: Env): Env {
  const own = envs.get(release) ?? {
    ...env,
    LEDGER: wrappedObjects(env.LEDGER as ObjectNamespace<Stub>, (stub) => {
      const { perform, call } = WORKERS[release](stub);
      return {
        call,
        perform(name, order) {
          if (name === "reverse") reversals += 1;
          return perform(name, order);
        },
        reportFault: (fault) => stub.reportFault(fault),
        requestLog: (name, order) => stub.requestLog(name, order),
      };
    }),
  };
  envs.set(release, own);
  return own;
}

type Asked = { object: string; name: string; order: never };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const own = envOf((request.headers.get("x-test-release") ?? "this") as Release, env);
    switch (new URL(request.url).pathname) {
      case "/test/deploy":
        deployed = (await request.json()) as Deployment;
        [envs, hasReset, reversals] = [new Map(), false, 0];
        return new Response();
      case "/test/reversals": {
        const query = { sql: "SELECT id FROM job WHERE queue = 'reversal'", values: [] };
        const [stored] = env.DB ? await createD1Database(env.DB).batch([query]) : [];
        return Response.json({ asked: reversals, stored: stored?.length });
      }
      case "/test/perform": {
        const { object, name, order } = (await request.json()) as Asked;
        return Response.json(await own.LEDGER.getByName(object).perform(name as never, order));
      }
      case "/test/new": {
        const asked = (await request.json()) as Asked;
        const find = () => env.LEDGER.getByName(asked.object) as Stub;
        return Response.json(await settled(tryNew(find, asked)));
      }
      default:
        return worker.fetch(request, own);
    }
  },
};

/** What may be new in a release, as its Worker would use it. */
async function tryNew(find: () => Stub, { name, order }: Asked): Promise<unknown> {
  const options = { target: "The object", isRepeatable: true };
  switch (name) {
    case "operation":
      return unwrap(await find().perform("holdCredits" as never, order));
    case "kind":
      return unwrap(await find().call("holdAll" as never, order, null, false));
    case "notes":
      return find().notes();
    case "method":
      return sendToObject(() => find().holdAll(), options);
    case "outcome":
      return callLedgerOfObjects(find, 0).debit(
        { ...(order as object), asksForPromotion: true } as never,
        true,
      );
    default:
      return reversalsOfObjects(find)("", [order]);
  }
}

const settled = (tried: Promise<unknown>) =>
  tried.then(
    (value) => ({ value }),
    (error) => ({ isNotCarriedOut: error instanceof NotCarriedOut, message: String(error) }),
  );
