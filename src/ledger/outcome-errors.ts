/** The errors with which a ledger rejects. Any other error leaves the outcome unknown, as `OutcomeUnknown` does. */

/** The order is invalid, for example a grant of a negative amount. Nothing was changed. */
export class OrderRejected extends Error {}

/** The store could not process the order. Nothing was changed. */
export class NotCarriedOut extends Error {}

/** More debits than one query may read have to be summed before the usage can be read. A later attempt succeeds. */
export class UsageNotSummed extends NotCarriedOut {}

/** The order was sent, and the store cannot tell whether it was carried out. */
export class OutcomeUnknown extends Error {}
