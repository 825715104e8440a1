import { createKey, type Desk, openAccount } from "#accounts/people.ts";

/** An empty data folder gets an account to try the service with: starter credits and one key. */
export const DEMO_EMAIL = "demo@toolbooth.localhost";
const DAY_MS = 86_400_000;

/** The key of the new demo account, or null where there are accounts already. */
export async function createDemoAccount(
  desk: Desk,
  starter: { credits: number; days: number },
  now: number,
): Promise<string | null> {
  const addresses = await desk.directory.listAddresses({ after: null, max: 1 });
  if (addresses.length > 0) return null;
  const { account } = await openAccount(desk, DEMO_EMAIL, now);
  if (starter.credits > 0) {
    await desk.ledger.grant({
      account,
      id: `starter:${account}`,
      kind: "starter",
      amount: starter.credits,
      expiresAt: now + starter.days * DAY_MS,
      now,
    });
  }
  const { key } = await createKey(desk, account, "demo", now);
  return key;
}

export function welcome(key: string, publicUrl: string, credits: number): string {
  return `
A demo account was made: ${DEMO_EMAIL}, ${credits} credits. Its key is shown this once:

  ${key}

Try it:

  curl -s ${publicUrl}/api/v1/hash -H 'Authorization: Bearer ${key}' -d '{"text":"hello"}'

`;
}
