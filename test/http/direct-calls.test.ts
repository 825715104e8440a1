/**
 * The tests of malformed requests, timeouts, pipelining and connections, and suites of the API, with `TOOLBOOTH_DIRECT_CALLS=on`:
 * behavior does not depend on who reads a request.
 */
process.env["TEST_DIRECT"] = "on";

const { nodeSocket } = await import("./node-socket.ts");
const { drawnSuites } = await import("./suites.ts");
const { createSentences } = await import("./test-api.ts");
const { wireSuite } = await import("./suites/wire.ts");

const sentence = createSentences({ ...nodeSocket, name: "without node:http" });
wireSuite(sentence);
for (const suite of drawnSuites("suites without node:http", 2)) suite(sentence);

await import("../api/bad-paths.test.ts");
await import("../api/bad-input.test.ts");
await import("./expect.test.ts");
await import("../apps/node/connection-bounds.test.ts");
