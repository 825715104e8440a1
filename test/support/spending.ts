/**
 * What an account or a key may have spent at any time: what was charged, and the most that the calls under way could be charged. A refusal
 * is wrong if the limit had covered the call even then. `limit`: the credits of the account, or the budget of the key.
 */
export class Spending {
  readonly #limit: number;
  #most = 0;
  readonly #asked = new Set<Asked>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A call begins. */
  ask(price: number): Asked {
    this.#most += price;
    const asked = { price, most: 0 };
    this.#asked.add(asked);
    for (const each of this.#asked) each.most = Math.max(each.most, this.#most);
    return asked;
  }

  /** The call was charged so much, or will not be charged: 0. */
  end(asked: Asked, charged: number): void {
    if (this.#asked.delete(asked)) this.#most += charged - asked.price;
  }

  /** Whether the credits covered the call, whatever became of the others. */
  covered({ most }: Asked): boolean {
    return most <= this.#limit;
  }
}

/** `most`: that of the account or the key since the call began, the call included. */
export type Asked = { price: number; most: number };
