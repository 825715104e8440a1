import "./right-node.cjs";

/** `npm start`: the server, as it was built or from its TypeScript. No top-level `await`, which old Nodes cannot parse. */
import("./built-code.js").then(({ runBuilt }) =>
  runBuilt("main", ({ isStale }) => {
    if (isStale) {
      process.stderr.write(
        "The server was built from other sources: `npm run build` makes it start faster.\n",
      );
    }
    return import("./main.ts");
  }),
);
