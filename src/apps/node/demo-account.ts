import {
  type AccountDeps,
  AccountError,
  createKey,
  findAccount,
  openAccount,
} from "#accounts/accounts.ts";
import { grantStarter, type Starter } from "#accounts/welcome.ts";
import { counted } from "#counted.ts";
import type { FirstCall } from "#site/first-call.ts";
import { SAMPLE_KEY_HEADER, shellQuote, shellWord, traitsOf, urlOf } from "#site/request-code.ts";

/** A new data folder gets a demo account with starter credits and one key. */
export const DEMO_EMAIL = "demo@toolbooth.localhost";

/** Creates the account and its key, or completes an account whose creation was interrupted. Returns the key. */
export async function createDemoAccount(
  accountDeps: AccountDeps,
  starter: Starter,
  now: number,
): Promise<string> {
  const { account } = await openAccount(accountDeps, DEMO_EMAIL, now).catch((error) => {
    if (!(error instanceof AccountError)) throw error;
    return findAccount(accountDeps, DEMO_EMAIL);
  });
  await grantStarter(accountDeps.ledger, account, starter, now);
  const { key } = await createKey(accountDeps, account, "demo", now);
  return key;
}

export function welcome(
  key: string,
  publicUrl: string,
  credits: number,
  { tool, request }: FirstCall,
): string {
  const own = tool.effect === "act" ? `-H '${SAMPLE_KEY_HEADER}' ` : "";
  const traits = traitsOf(tool);
  const url = urlOf({ url: `${publicUrl}/api/v1/${tool.name}`, body: request, ...traits });
  const { file } = traits;
  const body = request === undefined ? "-X POST" : `-d ${shellQuote(JSON.stringify(request))}`;
  const sent =
    file === undefined ? body : `-H 'Content-Type: ${file.type}' --data-binary @${file.name}`;
  return `
Demo account: ${DEMO_EMAIL}, ${counted(credits, "credit")}. Its API key, which is shown only once:

  ${key}

Try it:

  curl -s ${shellWord(url)} -H 'Authorization: Bearer ${key}' ${own}${sent}

`;
}
