import { createSentences } from "./door.ts";
import { inProcess } from "./in-process.ts";
import { doorSuites } from "./suites.ts";

doorSuites(createSentences(inProcess));
