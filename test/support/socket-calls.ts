import { once } from "node:events";

type Result = { id: number } & ({ value: unknown } | { error: string });

/** Calls to a Worker of a test over one WebSocket: as HTTP requests, most of the time would go into HTTP. */
export async function openSocketCalls(url: string) {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let sent = 0;
  socket.addEventListener("message", ({ data }) => {
    const result = JSON.parse(String(data)) as Result;
    const call = waiting.get(result.id);
    waiting.delete(result.id);
    if ("error" in result) call?.reject(new Error(result.error));
    else call?.resolve(result.value);
  });
  return {
    call(asked: object): Promise<unknown> {
      const call = Promise.withResolvers<unknown>();
      sent += 1;
      waiting.set(sent, call);
      socket.send(JSON.stringify({ id: sent, ...asked }));
      return call.promise;
    },
    close: () => socket.close(),
  };
}
