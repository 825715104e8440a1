import { runBuilt } from "./built-code.js";

/** `npm start`: the server, as it was built or from its TypeScript. */
await runBuilt("main", () => import("./main.ts"));
