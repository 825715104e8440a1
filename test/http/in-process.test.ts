import { inProcess } from "./in-process.ts";
import { doorSuites } from "./suites.ts";
import { createSentences } from "./test-service.ts";

doorSuites(createSentences(inProcess));
