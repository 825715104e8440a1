#!/usr/bin/env node
import "../node/right-node.cjs";

/** `npm run toolbooth`: the command line. No top-level `await`, which old Nodes cannot parse. */
import("../node/builds.js").then(({ run }) => run("cli", () => import("./main.ts")));
