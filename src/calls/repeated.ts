import type { KeptResponse } from "./kept-responses.ts";

/** The call repeats an earlier one, whose response is kept. */
export class Repeated extends Error {
  readonly response: KeptResponse;

  constructor(response: KeptResponse) {
    super("The call repeats an earlier one");
    this.response = response;
  }
}
