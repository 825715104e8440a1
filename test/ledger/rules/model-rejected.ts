/** The model's word for an order that no ledger can hold. */
export class Rejected extends Error {}
