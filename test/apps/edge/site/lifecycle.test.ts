import { after, test } from "node:test";
import { openBrowser } from "../../../support/chromium.ts";
import { LIFECYCLE, walkThroughLifecycle } from "../../../support/dashboard-lifecycle.ts";
import { site } from "./fixture.ts";

/** The lifecycle at the edge: both Workers in workerd, D1, objects, an email provider, browser and shell. */
const browser = await openBrowser();
after(() => browser.close());

test(`at the edge ${LIFECYCLE}`, (t) => walkThroughLifecycle(t, browser, site));
