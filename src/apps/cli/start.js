#!/usr/bin/env node
import "../node/right-node.cjs";

/** `npm run toolbooth`: the command line, as it was built or from its TypeScript. No top-level `await`, which old Nodes cannot parse. */
import("../node/built-code.js").then(({ runBuilt }) => runBuilt("cli", () => import("./main.ts")));
