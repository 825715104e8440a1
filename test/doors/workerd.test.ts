import { createSentences } from "./door.ts";
import { workerd } from "./workerd.ts";
import { doorSuites } from "./suites.ts";

doorSuites(createSentences(workerd));
