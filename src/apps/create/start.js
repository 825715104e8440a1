#!/usr/bin/env node
import "../node/right-node.cjs";

/** `npm create toolbooth`. No top-level `await`, which old Nodes cannot parse. */
import("./create.js").then(({ main }) => main());
