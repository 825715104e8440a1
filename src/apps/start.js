#!/usr/bin/env node
import "./node/right-node.cjs";

/** `toolbooth start` is the server, and everything else the command line. No top-level `await`, which old Nodes cannot parse. */
import("./node/builds.js").then(({ run }) =>
  process.argv.slice(2).join(" ") === "start"
    ? run("main", () => import("./node/main.ts"))
    : run("cli", () => import("./cli/main.ts")),
);
