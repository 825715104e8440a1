import { waitUntil } from "cloudflare:workers";
import { createDeploymentDesk } from "#accounts/deployment-desk.ts";
import { createOperatorDesk } from "#accounts/operator-desk.ts";
import { createOperatorApp, type OperatorApp } from "#http/operator/operator-app.ts";
import { createSalesDesk } from "#http/operator/sales-desk.ts";
import { accountPart } from "#ids.ts";
import type { LetterQueue } from "#mail/letter-queue.ts";
import { wayOf } from "#mail/read-mail-settings.ts";
import { movesOfObjects } from "#stores/durable-object/moves.ts";
import { createOperatorActs } from "#stores/sql/operator-acts.ts";
import type { PeopleSide } from "./worker-people-house.ts";
import type { PeopleConfig, PeopleEnv } from "./worker-people-settings.ts";

/** The operator's way in; made once for an isolate, for it counts wrong tokens. */
export function openOperator(side: PeopleSide, env: PeopleEnv, config: PeopleConfig): OperatorApp {
  const { ledger, desk, index, store, letters, billing, house, complain, newRequestId } = side;
  const { database, directory, journal, letterQueue } = store;
  const { publicUrl, secrets } = config;
  const { random, now } = house;
  const acts = createOperatorActs(database);
  const queue: Pick<LetterQueue, "add"> = {
    async add(order) {
      const added = await letterQueue.add(order);
      letters.carryAway();
      return added;
    },
  };
  const tell = { journal, queue, way: wayOf(config.mail), publicUrl, random };
  const moves = movesOfObjects(({ account }) => env.LEDGER.getByName(accountPart(account)));
  return createOperatorApp({
    token: config.operatorToken,
    desk: {
      ...createOperatorDesk({ ledger, directory, desk: async () => desk, tell }),
      ...createDeploymentDesk({ ledger, directory, index, acts, moves, secrets }),
      ...createSalesDesk({ purchases: store.purchases, billing }),
    },
    ...{ acts, now, complain, waitUntil, newRequestId },
    tell: (message, details) => console.log(JSON.stringify({ message, ...details })),
  });
}
