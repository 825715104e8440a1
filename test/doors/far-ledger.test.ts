import { createSentences, type Opener } from "./door.ts";
import { openFarInProcess } from "./far-in-process.ts";
import { inProcess } from "./in-process.ts";
import { journeySentences } from "./journeys.ts";
import { doorSuites } from "./suites.ts";

/** The app over a ledger that is a journey away: it is asked once a call, and what a client sees is the same. */
const withFarLedger: Opener = {
  ...inProcess,
  name: "in process, the ledger far away",
  open: async (settings) => openFarInProcess(settings),
};

doorSuites(createSentences(withFarLedger));
journeySentences(withFarLedger);
