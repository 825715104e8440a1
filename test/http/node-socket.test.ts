import { nodeSocket } from "./node-socket.ts";
import { serviceSuites } from "./suites.ts";
import { createSentences } from "./test-api.ts";

serviceSuites(createSentences(nodeSocket, "adapter"));
