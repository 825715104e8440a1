import type { StripeObject, World } from "./objects.ts";

/** What happens to payments at Stripe: each function changes its objects and emits its events. */
export type Emit = (type: string, object: StripeObject) => void;

export type DisputeStatus =
  | "warning_needs_response"
  | "warning_closed"
  | "needs_response"
  | "under_review"
  | "won"
  | "lost";

type Hidden = { intent: object; invoices: boolean; product?: string; tax: number };

export function createTill(world: World, emit: Emit, base: () => string) {
  const sessionOf = (id: string) => world.find(id, "checkout.session");
  const intentOf = (session: string) =>
    world.find(String(sessionOf(session)["payment_intent"]), "payment_intent");
  const chargeOf = (session: string) =>
    world.find(String(intentOf(session)["latest_charge"]), "charge");
  const openOnly = (id: string) => {
    const session = sessionOf(id);
    if (session["status"] !== "open") throw new Error(`${id} is ${session["status"]}`);
    return session;
  };

  /** The buyer submitted the page, which creates the payment. */
  function complete(id: string, charged: "succeeded" | "pending"): StripeObject {
    const session = openOnly(id);
    const hidden = session["hidden"] as Hidden;
    const amount = Number(session["amount_subtotal"]) + hidden.tax;
    const { currency } = session;
    const intent = world.add("pi", "payment_intent", {
      ...{ amount, amount_received: 0, currency, metadata: hidden.intent },
      status: charged === "pending" ? "processing" : "requires_capture",
    });
    const charge = world.add("ch", "charge", {
      ...{ amount, amount_captured: 0, amount_refunded: 0, refunded: false, disputed: false },
      ...{ currency, status: charged, payment_intent: intent.id, balance_transaction: null },
      ...{ paid: false, receipt_url: null, metadata: hidden.intent },
    });
    intent["latest_charge"] = charge.id;
    const customer = hidden.invoices ? world.add("cus", "customer", {}).id : null;
    Object.assign(session, {
      ...{ status: "complete", url: null, amount_total: amount, customer },
      payment_intent: intent.id,
    });
    return session;
  }

  function moneyIn(session: StripeObject): void {
    const [intent, charge] = [intentOf(session.id), chargeOf(session.id)];
    const amount = intent["amount"];
    const booking = world.add("txn", "balance_transaction", { amount, source: charge.id });
    Object.assign(charge, {
      ...{ status: "succeeded", paid: true, amount_captured: amount },
      balance_transaction: booking.id,
      receipt_url: `${base()}/receipt/${charge.id}`,
    });
    Object.assign(intent, { status: "succeeded", amount_received: amount });
    session["payment_status"] = "paid";
    emit("payment_intent.succeeded", intent);
    emit("charge.succeeded", charge);
  }

  function invoice(session: StripeObject): void {
    if (!(session["hidden"] as Hidden).invoices) return;
    const made = world.add("in", "invoice", { status: "paid", customer: session["customer"] });
    made["hosted_invoice_url"] = `${base()}/invoice/${made.id}`;
    session["invoice"] = made.id;
    emit("invoice.paid", made);
  }

  function refund(id: string, amount?: number): StripeObject {
    const charge = chargeOf(id);
    const left = Number(charge["amount_captured"]) - Number(charge["amount_refunded"]);
    const back = amount ?? left;
    if (back < 1 || back > left) throw new Error(`Refund amount (${back}) is not within ${left}`);
    const made = world.add("re", "refund", {
      ...{ amount: back, status: "succeeded", charge: charge.id },
      payment_intent: charge["payment_intent"],
    });
    charge["amount_refunded"] = Number(charge["amount_refunded"]) + back;
    charge["refunded"] = charge["amount_refunded"] === charge["amount_captured"];
    emit("refund.created", made);
    emit("charge.refunded", charge);
    return made;
  }

  function dispute(id: string, status: DisputeStatus): StripeObject {
    const charge = chargeOf(id);
    const known = world.list("dispute", { payment_intent: String(charge["payment_intent"]) })
      .data[0];
    const it =
      known ??
      world.add("dp", "dispute", {
        ...{ amount: charge["amount_captured"], charge: charge.id },
        payment_intent: charge["payment_intent"],
      });
    it["status"] = status;
    charge["disputed"] = true;
    const isOver = status === "won" || status === "lost" || status === "warning_closed";
    emit(`charge.dispute.${known === undefined ? "created" : isOver ? "closed" : "updated"}`, it);
    if (status === "needs_response") emit("charge.dispute.funds_withdrawn", it);
    if (status === "won") emit("charge.dispute.funds_reinstated", it);
    return it;
  }

  return {
    /** With a card: the money arrives at once. */
    pay(id: string): void {
      const session = complete(id, "succeeded");
      moneyIn(session);
      emit("checkout.session.completed", session);
      invoice(session);
    },
    /** With a delayed method: the money arrives with `arrive`, or never, with `failLater`. */
    payLater(id: string): void {
      const session = complete(id, "pending");
      emit("payment_intent.processing", intentOf(id));
      emit("charge.pending", chargeOf(id));
      emit("checkout.session.completed", session);
    },
    arrive(id: string): void {
      const session = sessionOf(id);
      moneyIn(session);
      emit("checkout.session.async_payment_succeeded", session);
      invoice(session);
    },
    failLater(id: string): void {
      const [intent, charge] = [intentOf(id), chargeOf(id)];
      intent["status"] = "requires_payment_method";
      charge["status"] = "failed";
      emit("charge.failed", charge);
      emit("payment_intent.payment_failed", intent);
      emit("checkout.session.async_payment_failed", sessionOf(id));
    },
    expire(id: string): void {
      const session = openOnly(id);
      Object.assign(session, { status: "expired", url: null });
      emit("checkout.session.expired", session);
    },
    refund,
    /** The buyer's bank rejected the refund: the money returns to the seller. */
    failRefund({ id }: { id: string }): void {
      const made = world.find(id, "refund");
      const charge = world.find(String(made["charge"]), "charge");
      made["status"] = "failed";
      charge["amount_refunded"] = Number(charge["amount_refunded"]) - Number(made["amount"]);
      charge["refunded"] = false;
      emit("refund.updated", made);
      emit("refund.failed", made);
    },
    dispute,
    paymentOf: (id: string) => intentOf(id).id,
  };
}
