/** The API Worker of another release, whose objects have more migrations, named by a setting. */
import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";

export { default } from "./worker-in-trouble.ts";

export class AccountLedger extends ObjectLedger {
  constructor(state: ConstructorParameters<typeof ObjectLedger>[0], env: unknown) {
    const more = JSON.parse((env as { TEST_MIGRATIONS?: string }).TEST_MIGRATIONS ?? "[]");
    super(state, env, [...OBJECT_MIGRATIONS, ...more]);
  }
}
