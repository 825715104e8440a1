import { runBuilt } from "./built-code.js";

/** `npm start`: the server, as it was built or from its TypeScript. */
await runBuilt("main", async ({ isStale }) => {
  if (isStale) {
    process.stderr.write(
      "The server was built from other sources: `npm run build` makes it start faster.\n",
    );
  }
  await import("./main.ts");
});
