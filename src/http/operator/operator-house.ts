import type { DeploymentDesk, DeploymentOperations } from "#accounts/deployment-desk.ts";
import type { OperatorActs } from "#accounts/operator-acts.ts";
import type { OperatorDesk, OperatorOperations } from "#accounts/operator-desk.ts";
import type { SalesDesk, SalesOperations } from "./sales-desk.ts";

/** Everything that can be asked at the operator's door. */
export type Operations = OperatorOperations & DeploymentOperations & SalesOperations;
export type OperationName = keyof Operations;

/** Everything that a door hands to the operator's app. It knows no runtime and no store. */
export type OperatorHouse = {
  /** Null: there is no operator's door. */
  token: string | null;
  desk: OperatorDesk & DeploymentDesk & SalesDesk;
  acts: Pick<OperatorActs, "note">;
  /** The time of day in milliseconds since 1970 UTC. */
  now(): number;
  newRequestId(): string;
  /** Lets work come to its end that nobody waits for any more. */
  waitUntil(work: Promise<unknown>): void;
  /** Told of every act, for the log. Never a key, never an address of a person. */
  tell(message: string, details: ActTold): void;
  complain(message: string, details: { requestId?: string; cause?: unknown }): void;
};

export type ActTold = {
  requestId: string;
  act: string;
  subject: string | null;
  outcome: string;
  address: string | null;
};
