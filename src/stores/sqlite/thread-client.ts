import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import type { BatchItem, BatchResult } from "./batch.ts";
import {
  createOrderWriter,
  createOutcomeReader,
  FLIGHT_BEGUN,
  FLIGHT_IDLE,
  FLIGHT_SENT,
  FLIGHTS_MAX,
  nextFlight,
  openWire,
} from "./batch-wire.ts";
import type { ThreadOrder } from "./thread-server.ts";

/** A thread's end of its connection to the ledger thread. Every thread that sends batches has one of its own. */
export type ThreadClient = {
  /** Sends a batch, of which at most FLIGHTS_MAX may be under way, and then calls `done` or `failed` once. */
  send(
    items: readonly BatchItem[],
    done: (outcomes: unknown[]) => void,
    failed: (error: Error) => void,
  ): void;
  /** Call with the results that the server sent: those of the oldest batch that are not in the shared memory. */
  receive(results: BatchResult[] | null): void;
  /** Call when the ledger thread has ended. The batches under way fail. */
  end(): void;
  /** How long the transaction of the last batch took. */
  commitMs(): number;
};

export const DIED = "The ledger's thread died";
export const RESTARTING = "The ledger's thread is restarting";

/** What the ledger thread waits on. All clients share one. */
export const createBell = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Wakes the ledger thread. Call after each message and each batch. */
export function ring(bell: Int32Array): void {
  Atomics.add(bell, 0, 1);
  Atomics.notify(bell, 0);
}

/** `port`: to the ledger thread, which serves `memory` and this port as one connection. */
export function createThreadClient(
  port: { postMessage(text: string): void },
  memory: SharedArrayBuffer,
  bell: Int32Array,
): ThreadClient {
  const wire = openWire(memory);
  const { states } = wire;
  const write = createOrderWriter(wire);
  const read = createOutcomeReader(wire);
  type Batch = { flight: number; done(outcomes: unknown[]): void; failed(error: Error): void };
  /** Oldest first. */
  const underWay: Batch[] = [];
  let next = 0;
  let commitMs = 0;
  return {
    send(items, done, failed) {
      if (underWay.length >= FLIGHTS_MAX) throw new Error("Too many batches are under way");
      const flight = next;
      const batch = write(items, flight);
      if (batch !== null) port.postMessage(JSON.stringify({ batch } satisfies ThreadOrder));
      next = nextFlight(flight);
      underWay.push({ flight, done, failed });
      Atomics.store(states, flight, FLIGHT_SENT);
      ring(bell);
    },
    receive(results) {
      const batch = underWay.shift();
      if (batch === undefined) return;
      const received = read(batch.flight, results);
      Atomics.store(states, batch.flight, FLIGHT_IDLE);
      commitMs = received.commitMs;
      batch.done(received.outcomes);
    },
    end() {
      for (const [i, { flight, failed }] of underWay.splice(0).entries()) {
        // A batch behind another one is not carried out before the thread has begun it.
        const isDoubtful = i === 0 || Atomics.load(states, flight) === FLIGHT_BEGUN;
        failed(isDoubtful ? new OutcomeUnknown(DIED) : new NotCarriedOut(RESTARTING));
      }
    },
    commitMs: () => commitMs,
  };
}
