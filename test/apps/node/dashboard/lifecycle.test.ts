import { test } from "node:test";
import { LIFECYCLE, walkThroughLifecycle } from "../../../support/dashboard-lifecycle.ts";
import { shareShop } from "./shared-shop.ts";

const { browser, site } = await shareShop();

test(LIFECYCLE, (t) => walkThroughLifecycle(t, browser, site));
