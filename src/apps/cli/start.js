#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { runBuilt } from "../node/built-code.js";

/** `npm run toolbooth`: the command line, as it was built or from its TypeScript. */
await runBuilt("cli", () => import("./main.ts"));
