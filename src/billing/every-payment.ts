import type { PaymentPage, PaymentState } from "./payment-provider.ts";

/** Every payment since, asked for page by page. */
export async function* everyPayment(
  listPage: (order: { since: number; after: string | null }) => Promise<PaymentPage>,
  since: number,
): AsyncGenerator<PaymentState> {
  for (let after: string | null = null; ; ) {
    const page: PaymentPage = await listPage({ since, after });
    yield* page.payments;
    if (page.next === null) return;
    after = page.next;
  }
}
