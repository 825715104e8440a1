import { inProcess } from "./in-process.ts";
import { openRemoteInProcess } from "./remote-in-process.ts";
import { roundTripSentences } from "./round-trips.ts";
import { serviceSuites } from "./suites.ts";
import { createSentences, type Opener } from "./test-api.ts";

/** The app over a remote ledger: it is asked once a call, and what a client sees is the same. */
const withRemoteLedger: Opener = {
  ...inProcess,
  name: "in process, with a remote ledger",
  open: async (settings) => openRemoteInProcess(settings),
};

serviceSuites(createSentences(withRemoteLedger));
roundTripSentences(withRemoteLedger);
