import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { CopyOrder } from "./backup.ts";
import type { BatchItem, BatchResult } from "./batch.ts";
import {
  createOrderReader,
  createResultWriter,
  FLIGHT_BEGUN,
  FLIGHT_SENT,
  nextFlight,
  type OrderText,
  openWire,
} from "./batch-wire.ts";

/** A message to the ledger thread, as JSON: the text of a batch, or an order to the thread itself. */
export type ThreadOrder = { batch: OrderText } | { copy: CopyOrder } | { close: true };

type OwnOrder = Exclude<ThreadOrder, { batch: OrderText }>;

/** The ledger thread's end of its connection to one client. */
export type ThreadServer = {
  /**
   * Returns the orders of the next batch. If none was sent, performs the orders to the thread itself and returns null: a message may
   * arrive before the batches in the shared memory that were sent earlier, and a copy must contain them.
   */
  take(): BatchItem[] | null;
  /** Writes the results of the batch that was taken. Returns those that must be sent as a message; null if there are none. */
  finish(results: readonly BatchResult[], commitMs: number): BatchResult[] | null;
};

/** `perform`: called with an order to the thread itself, after all batches that were sent before it. */
export function createThreadServer(
  port: MessagePort,
  memory: SharedArrayBuffer,
  perform: (order: OwnOrder) => void,
): ThreadServer {
  const wire = openWire(memory);
  const { states } = wire;
  const texts: OrderText[] = [];
  const own: OwnOrder[] = [];
  const read = createOrderReader(wire, takeText);
  const write = createResultWriter(wire);
  let next = 0;
  let flight = 0;
  let items: BatchItem[] = [];

  function receive(text: string): void {
    const order = JSON.parse(text) as ThreadOrder;
    if ("batch" in order) texts.push(order.batch);
    else own.push(order);
  }

  /** The client posts the text before it sends the batch, so the text is here, whether or not the event loop has delivered it. */
  function takeText(): OrderText {
    for (;;) {
      const text = texts.shift();
      if (text !== undefined) return text;
      const received = receiveMessageOnPort(port);
      if (received === undefined) throw new Error("The text of a batch is missing");
      receive(received.message as string);
    }
  }

  port.on("message", receive);
  return {
    take() {
      if (Atomics.load(states, next) !== FLIGHT_SENT) {
        for (const order of own.splice(0)) perform(order);
        return null;
      }
      flight = next;
      next = nextFlight(flight);
      Atomics.store(states, flight, FLIGHT_BEGUN);
      items = read(flight);
      return items;
    },
    finish: (results, commitMs) => write(items, results, flight, commitMs),
  };
}
