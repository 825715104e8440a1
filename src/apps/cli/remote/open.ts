import type { Call } from "../command.ts";
import type { Deployment } from "../deployment.ts";
import type { Remote } from "./address.ts";
import { createHttpClient } from "./client.ts";
import { exportRemote } from "./export.ts";

/** The service at an address. */
export function openRemote(call: Call, remote: Remote): Deployment {
  const client = createHttpClient(remote);
  return {
    ...{ place: remote.url, client, linksLead: "" },
    exportLines: (_, write) => exportRemote(call, client, write),
    async close() {},
  };
}
