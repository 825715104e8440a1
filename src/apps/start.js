#!/usr/bin/env node
import "./node/right-node.cjs";

/** `toolbooth start` and `toolbooth dev` are the server, and everything else the command line. No top-level `await`, which old Nodes cannot parse. */
import("./node/builds.js").then(({ run }) =>
  ["start", "dev"].includes(process.argv.slice(2).join(" "))
    ? run("main", () => import("./node/main.ts"))
    : run("cli", () => import("./cli/main.ts")),
);
