import type { Fault } from "#errors.ts";
import type { KeyStatus } from "#ledger/port.ts";
import type { Throttle } from "#ledger/throttle.ts";
import { CALL_PRICE } from "#limits.ts";
import type { AppContext } from "./app-context.ts";
import { type Authenticator, invalidKey } from "./authenticate.ts";
import { penniless, settleDebit, suspended, tooOften, unavailable } from "./caller-refusals.ts";
import type { OpenVisit } from "./visit.ts";

/**
 * With a ledger that is near: it is asked for the key's standing before work that would be worth something to a stranger,
 * and the rate is counted on this node.
 */
export const createNearVisits =
  (app: AppContext, keys: Authenticator, throttle: Throttle): OpenVisit =>
  (caller, context, mayRepeat) => {
    let standing: KeyStatus | null = null;

    /** Asks once. */
    async function askStanding(): Promise<void> {
      if (standing !== null) return;
      const { account, keySha256 } = caller;
      standing = await app.ledger
        .keyStatus({ account, keySha256, now: app.now() })
        .catch((cause) => {
          throw unavailable(cause);
        });
      if (standing.outcome === "invalid_key") throw badKey();
      keys.remember(caller);
      if (standing.outcome === "account_suspended") throw suspended(context, standing.balance);
      context.balance = standing.balance;
    }

    /** No promise while the rate allows, which is nearly always. */
    function takeRate(): Promise<void> | undefined {
      context.rate = throttle.take(caller.account, app.elapsed());
      return context.rate.allowed ? undefined : refuseForRate(context.rate.retryAfterSeconds);
    }

    async function refuseForRate(seconds: number): Promise<never> {
      await askStanding();
      throw tooOften(app, seconds);
    }

    /** The early refusal, where the balance is known. */
    function requireCredits(): void {
      if (standing?.outcome !== "good" || standing.freeCall || mayRepeat) return;
      if (standing.balance < CALL_PRICE) throw penniless(app, context, standing.balance);
    }

    function badKey(): Fault {
      keys.forget(caller);
      // The account that the key claims is not to blame for a key that is not its own.
      if (context.rate?.allowed) throttle.giveBack(caller.account);
      context.rate = null;
      return invalidKey();
    }

    async function askAndRequire(): Promise<void> {
      await askStanding();
      requireCredits();
    }

    async function enterAsked(): Promise<void> {
      await askStanding();
      await takeRate();
      requireCredits();
    }

    return {
      enter(heavy) {
        return caller.known && !heavy ? takeRate() : enterAsked();
      },
      reconsider: askAndRequire,
      refuse: askAndRequire,
      debit: (order) => app.ledger.debit(order),
      settle(outcome) {
        if (outcome.outcome === "invalid_key") throw badKey();
        settleDebit(app, context, outcome);
      },
    };
  };
