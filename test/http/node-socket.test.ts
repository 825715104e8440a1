import { nodeSocket } from "./node-socket.ts";
import { doorSuites } from "./suites.ts";
import { createSentences } from "./test-service.ts";

doorSuites(createSentences(nodeSocket));
