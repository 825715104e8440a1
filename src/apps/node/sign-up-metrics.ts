import { Counter, Gauge, type Registry } from "prom-client";
import { STARTER_OUTCOMES, type StarterOutcome } from "#accounts/starter-claim.ts";
import type { DropReason } from "#email/enqueue-emails.ts";

/** What the dashboard thread counts about sign-ups. The database counts for all nodes together, but for `dropped`. */
export type SignUpCounts = {
  /** New accounts of this UTC day by what became of their starter credits. */
  starters: readonly { outcome: StarterOutcome; count: number }[];
  /** Emails that anyone can request, of this UTC hour and day. */
  requested: { hour: number; day: number };
  /** Emails that this node dropped since its dashboard thread started. */
  dropped: Partial<Record<DropReason, number>>;
};

/** Gauges of starter credits and of emails that anyone can request. `count` may be a moment old. */
export function addSignUpMetrics(
  registers: Registry[],
  count: () => Promise<SignUpCounts | null>,
): void {
  new Gauge({
    registers,
    name: "toolbooth_starter_claims_today",
    help: "New accounts of this UTC day by what became of their starter credits",
    labelNames: ["outcome"],
    async collect() {
      const counts = await count();
      if (counts === null) return;
      for (const outcome of STARTER_OUTCOMES) {
        const found = counts.starters.find((each) => each.outcome === outcome);
        this.set({ outcome }, found?.count ?? 0);
      }
    },
  });
  new Gauge({
    registers,
    name: "toolbooth_requested_emails",
    help: "Emails of this UTC hour and day that people caused without signing in",
    labelNames: ["window"],
    async collect() {
      const counts = await count();
      if (counts === null) return;
      this.set({ window: "hour" }, counts.requested.hour);
      this.set({ window: "day" }, counts.requested.day);
    },
  });
  new Counter({
    registers,
    name: "toolbooth_emails_dropped_total",
    help: "Emails that this node dropped by reason",
    labelNames: ["reason"],
    async collect() {
      const counts = await count();
      this.reset();
      for (const [reason, times] of Object.entries(counts?.dropped ?? {}))
        this.inc({ reason }, times);
    },
  });
}
