/**
 * The post office: keeps what is posted, and carries it away a few at a time until a transport has taken it.
 *
 * At least once: a letter is deleted only after the transport's word; a process that dies in between sends it again,
 * under the same Message-ID. A letter's own failures make it wait longer and longer (`retryWait`); a server that is
 * out of reach makes all wait a little while one letter at a time tries whether it is back. What is logged names a
 * letter by its id, kind and domain: never the address, the text or the link.
 */
import type { RandomBytes } from "#ids.ts";
import {
  GIVE_UP_AFTER_MS,
  LEASE_MS,
  LETTERS_AT_ONCE,
  PAUSE_MAX_MS,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
} from "./bounds.ts";
import type { LetterQueue, TakenLetter } from "./letter-queue.ts";
import type { Mail } from "./mail.ts";
import { type Complain, createPosting, domainOf, nameOf } from "./posting.ts";
import {
  NotNow,
  type Sender,
  type Transport,
  Undeliverable,
  Unreachable,
  type Way,
} from "./transport.ts";

export type PostOfficeWiring = {
  queue: LetterQueue;
  transport: Transport;
  /** What the transport is: letters that were posted for another one may have to wait for that. */
  way: Way;
  now: () => number;
  random: RandomBytes;
  complain: Complain;
  from: Sender;
};

export type PostOffice = {
  mail: Mail;
  /** Called after each posting, to wake who delivers. */
  onPosted(listener: () => void): void;
  /** Starts to carry away what is due, without waiting for it. */
  look(): void;
  /** The same, and resolves when nothing is on its way any more: with the time of the next look, null where none waits. */
  deliverDue(): Promise<number | null>;
  /** Takes no more letters out of the queue; resolves when none is on its way. Posting goes on. */
  close(): Promise<void>;
  /** Breaks off what is on its way; it stays in the queue. */
  abort(): void;
};

export function createPostOffice(wiring: PostOfficeWiring): PostOffice {
  const { queue, way } = wiring;
  const round = createRound(wiring);
  let posted = () => {};

  return {
    mail: createPosting(wiring, () => posted()),
    onPosted(listener) {
      posted = listener;
    },
    look: round.look,
    async deliverDue() {
      round.look();
      await round.idle();
      const { at } = await queue.nextDue({ way });
      return at === null ? null : Math.max(at, round.pausedUntil());
    },
    async close() {
      round.close();
      await round.idle();
    },
    abort: round.abort,
  };
}

/** Up to so many lanes, each of which carries one letter after the other until nothing is due. */
function createRound(wiring: PostOfficeWiring) {
  const { queue, way, now, complain } = wiring;
  const lanes = new Set<Promise<void>>();
  const pause = createPause(wiring);
  const carry = createCarrier(wiring, pause);
  let looks = 0;
  let isClosed = false;

  function look(): void {
    looks += 1;
    if (isClosed || pause.until() > now()) return;
    // While the server's state is in doubt one letter is enough to find out.
    const most = pause.isDoubtful() ? 1 : LETTERS_AT_ONCE;
    while (lanes.size < most) {
      const running: Promise<void> = lane().finally(() => lanes.delete(running));
      lanes.add(running);
    }
  }

  async function lane(): Promise<void> {
    try {
      while (!isClosed && pause.until() <= now()) {
        const seen = looks;
        const time = now();
        const order = { now: time, leaseUntil: time + LEASE_MS, max: 1, way };
        const { letters } = await queue.take(order);
        const [letter] = letters;
        // Whoever looked meanwhile found every lane taken and relies on this one.
        if (letter === undefined && seen === looks) return;
        if (letter !== undefined && (await carry.carry(letter))) look();
      }
    } catch (cause) {
      pause.begin(now());
      complain("The queue of letters could not be used; it is tried again soon", { cause });
    }
  }

  return {
    look,
    pausedUntil: pause.until,
    async idle() {
      while (lanes.size > 0) await Promise.all(lanes);
    },
    close() {
      isClosed = true;
    },
    abort: carry.abort,
  };
}

type Pause = ReturnType<typeof createPause>;

/** The wait of all letters while nothing can be sent at all. */
function createPause({ random }: PostOfficeWiring) {
  let until = 0;
  let times = 0;
  return {
    until: () => until,
    isDoubtful: () => times > 0,
    /** Returns whether this is the first of a row. Lanes that fail together make one pause. */
    begin(time: number): boolean {
      if (until > time) return false;
      times += 1;
      until = time + wait(times, PAUSE_MAX_MS, random);
      return times === 1;
    },
    /** Returns whether there was one. */
    end(): boolean {
      const wasDoubtful = times > 0;
      until = 0;
      times = 0;
      return wasDoubtful;
    },
  };
}

/** Carries one letter and notes in the queue what came of it. */
function createCarrier(wiring: PostOfficeWiring, pause: Pause) {
  const { queue, transport, now, random, complain, from } = wiring;
  const abort = new AbortController();
  const domain = domainOf(from.address);
  /** Taken by the transport, but the queue could not be told: not sent again by this process. */
  const sent = new Set<string>();

  async function failed(letter: TakenLetter, error: unknown): Promise<void> {
    const { id, take, failures } = letter;
    const time = now();
    if (abort.signal.aborted) {
      await queue.later({ id, take, at: time, failures });
    } else if (error instanceof Undeliverable || time - letter.postedAt >= GIVE_UP_AFTER_MS) {
      complain(`Letter ${nameOf(letter)} was given up: ${reasonOf(error)}`, {});
      await queue.giveUp({ id, take });
    } else if (error instanceof Unreachable) {
      const isFirst = pause.begin(time);
      if (isFirst) complain(`Letters wait: ${reasonOf(error)}`, {});
      await queue.later({ id, take, at: Math.max(time, pause.until()), failures });
    } else {
      const asked = error instanceof NotNow ? Math.min(error.pauseMs, RETRY_MAX_MS) : 0;
      const at = time + Math.max(asked, retryWait(failures + 1, random));
      complain(`Letter ${nameOf(letter)} waits for its next try: ${reasonOf(error)}`, {});
      await queue.later({ id, take, at, failures: failures + 1 });
    }
  }

  /** Returns whether the server was in doubt and is not any more. */
  async function carry(letter: TakenLetter): Promise<boolean> {
    const { id, take, usefulUntil } = letter;
    if (usefulUntil !== null && usefulUntil <= now()) {
      complain(`Letter ${nameOf(letter)} was dropped: its time ended before it could be sent`, {});
      await queue.giveUp({ id, take });
      return false;
    }
    let error: unknown = null;
    try {
      if (!sent.has(id)) await transport.send(letter, `<${id}@${domain}>`, abort.signal);
    } catch (thrown) {
      error = thrown ?? new Error("unknown");
    }
    if (error === null) {
      sent.add(id);
      await queue.done({ id });
      sent.delete(id);
    } else await failed(letter, error);
    return !(error instanceof Unreachable) && !abort.signal.aborted && pause.end();
  }

  return { carry, abort: () => abort.abort() };
}

/** From 5 seconds to an hour, doubling; up to a quarter sooner, so that letters that failed together part. */
export const retryWait = (failures: number, random: RandomBytes): number =>
  wait(failures, RETRY_MAX_MS, random);

function wait(times: number, max: number, random: RandomBytes): number {
  const full = Math.min(max, RETRY_FIRST_MS * 2 ** (times - 1));
  const chance = (random(1)[0] ?? 0) / 256;
  return Math.ceil(full * (1 - chance / 4));
}

/** The message of a transport's own error; of any other only its name, for it may hold what was sent. */
function reasonOf(error: unknown): string {
  const isOurs = [Undeliverable, NotNow, Unreachable].some((kind) => error instanceof kind);
  if (isOurs) return (error as Error).message;
  return error instanceof Error ? `unexpected ${error.name}` : "unexpected fault";
}
