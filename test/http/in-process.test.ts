import { inProcess } from "./in-process.ts";
import { serviceSuites } from "./suites.ts";
import { createSentences } from "./test-api.ts";

serviceSuites(createSentences(inProcess));
