import { nodeThreads } from "./node-socket.ts";
import { serviceSuites } from "./suites.ts";
import { createSentences } from "./test-api.ts";

/** With several HTTP threads the API behaves as with one. */
const COUNTS = process.env["TEST_EDGE"] === "all" ? [2, 4] : [2];
for (const count of COUNTS) serviceSuites(createSentences(nodeThreads(count)), 3);
