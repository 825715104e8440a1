import "./right-node.cjs";

/** `npm start`: the server. No top-level `await`, which old Nodes cannot parse. */
import("./builds.js").then(({ run }) => run("main", () => import("./main.ts")));
