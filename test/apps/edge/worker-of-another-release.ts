/** The API Worker of another release, whose objects have more migrations, named by a setting, or a storage that fails. */

import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import type { ObjectStorage } from "#stores/durable-object/driver.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import worker from "./worker-in-trouble.ts";

type Env = Parameters<typeof worker.fetch>[1];

/** What every statement of the objects that start from now on fails with. Objects and Worker share an isolate here. */
let storageFault = "";

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/test/storage-fault") return worker.fetch(request, env);
    storageFault = await request.text();
    return new Response();
  },
};

export class AccountLedger extends ObjectLedger {
  constructor(state: { storage: ObjectStorage }, env: unknown) {
    const more = JSON.parse((env as { TEST_MIGRATIONS?: string }).TEST_MIGRATIONS ?? "[]");
    // The platform takes no other object than its own.
    Object.defineProperty(state, "storage", { value: failing(state.storage) });
    super(state, env, [...OBJECT_MIGRATIONS, ...more]);
  }
}

const failing = (storage: ObjectStorage): ObjectStorage => ({
  sql: {
    exec(query, ...values) {
      if (storageFault !== "") throw new Error(storageFault);
      return storage.sql.exec(query, ...values);
    },
  },
  transactionSync: (body) => storage.transactionSync(body),
  deleteAll: () => storage.deleteAll(),
  getAlarm: () => storage.getAlarm(),
  setAlarm: (at) => storage.setAlarm(at),
});
