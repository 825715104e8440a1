import { createSentences } from "./door.ts";
import { nodeSocket } from "./node-socket.ts";
import { doorSuites } from "./suites.ts";

doorSuites(createSentences(nodeSocket));
