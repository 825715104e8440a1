import type { accountEmails } from "#accounts/account-emails.ts";
import type { Auth } from "#accounts/auth.ts";
import type { Journal } from "#accounts/journal.ts";
import type { AccountDeps } from "#accounts/people.ts";
import type { Starter } from "#accounts/welcome.ts";
import type { Billing } from "#billing/billing.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { WebhookNetworks } from "#events/endpoint-url.ts";
import type { EventStore } from "#events/event-store.ts";
import type { Provider } from "./shapes.ts";

/** Everything that a door hands to the people's side of the service. It knows no runtime and no store. */
export type DashboardDeps = {
  settings: {
    /** Base of the links in answers and letters. No slash at its end. */
    publicUrl: string;
    /** Origins from which the pages may ask, PUBLIC_URL's own among them. */
    origins: readonly string[];
    signUp: "open" | "closed";
    providers: readonly Provider[];
    starter: Starter;
    /** Letters go to the outbox and the log. */
    emailsStayHere: boolean;
    /** Where accounts' own endpoints may lie. */
    webhookNetworks: WebhookNetworks;
    /** Marks browsers that signed somebody in before. */
    secret: string;
  };
  auth: Auth;
  accountDeps: AccountDeps;
  journal: Journal;
  /** Without what delivers. */
  events: Omit<EventStore, "handle" | "pauseEndpoint" | "findDelivery" | "forget">;
  /** What is sold, null where nothing is; who takes the money, null where nobody does; and what was bought. */
  sales: {
    prices: PriceList | null;
    billing: Billing | null;
    purchases: Pick<PurchaseStore, "find" | "list">;
  };
  emails: ReturnType<typeof accountEmails>;
  verifyPassword(hash: string, password: string): Promise<boolean>;
  /** The time of day in milliseconds since 1970 UTC. */
  now(): number;
  newRequestId(): string;
  /** A text nobody can guess, for a link. */
  newSecret(): string;
  wait(ms: number): Promise<void>;
  /** Lets work go on after the answer; what goes wrong with it is complained of. */
  inBackground(work: Promise<unknown>): void;
  logError(message: string, details: { requestId?: string; cause?: unknown }): void;
};
