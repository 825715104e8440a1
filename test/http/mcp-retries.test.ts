import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { createRandom, seedFor } from "../support/seeded-random.ts";
import { connectMcp, fetchOf, REVISIONS } from "./mcp-client.ts";
import { nodeSocket } from "./node-socket.ts";
import { createCaller, type Opener, openService } from "./test-api.ts";
import { workerd } from "./workerd.ts";
