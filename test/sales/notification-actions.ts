/** What happens to events: they are written as time goes on, dispatched, and forgotten. */
import assert from "node:assert/strict";
import { DAY_MS } from "#limits.ts";
import { emailsOf } from "../contract/email-queue-fixture.ts";
import { fault, type Life, orNothing } from "./chance.ts";
import type { World } from "./world.ts";

export async function look({ world, pick }: Life): Promise<void> {
  await world.ledger.look(world.clock.at, pick([1, 2, 5, 100]));
}

/** Dispatches by one or two callers at once, who may break in the middle; then the queue is emptied. */
export async function carry(life: Life): Promise<void> {
  const { world, random } = life;
  const rounds = [world.carrier(fault(life))];
  if (random() < 0.4) rounds.push(world.carrier(fault(life)));
  await Promise.all(rounds.map((round) => orNothing(round())));
  await takeEmails(world);
}

/** The queue holds what was added, once each. */
async function takeEmails({ clock, store, seen }: World): Promise<void> {
  const order = {
    now: clock.at,
    leaseUntil: clock.at + 1000,
    max: 999,
    transportKind: "smtp",
  } as const;
  const { emails } = await emailsOf(store).take(order);
  const shown = emails.map(({ to, kind, usefulUntil }) => ({ to, kind, usefulUntil }));
  assert.deepEqual(shown, seen.emails);
  for (const { id } of emails) await emailsOf(store).done({ id });
  seen.emails = [];
}

/** After all events were dispatched, as the service does it. */
export async function forget({ world }: Life): Promise<void> {
  const { clock, store, seen } = world;
  let more = true;
  while (more) ({ more } = await world.carrier(null)());
  await takeEmails(world);
  const before = clock.at - 30 * DAY_MS;
  await checkWebhooks(world);
  await store.events.forget({ before, max: 9999, now: clock.at });
  seen.webhooks = seen.webhooks.filter(({ at }) => at >= before);
  await checkWebhooks(world);
}

async function checkWebhooks({ store, users, seen }: World): Promise<void> {
  for (const { id: account, endpoints } of users) {
    const sent: string[] = [];
    for (const { id: endpoint } of await store.events.listEndpoints({ account })) {
      const order = { account, endpoint, after: null, max: 9999 };
      sent.push(...(await store.events.listDeliveries(order)).map(({ event }) => event));
    }
    const expected = seen.webhooks.filter((each) => each.account === account);
    assert.deepEqual(sent.sort(), expected.map(({ event }) => event).sort(), `${endpoints}`);
  }
}
