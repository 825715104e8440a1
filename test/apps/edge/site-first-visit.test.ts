import { after, test } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import { LIFECYCLE, walkThroughLifecycle } from "../../support/dashboard-lifecycle.ts";
import { openEdgeSite } from "../../support/edge-site.ts";

/** At the edge: both Workers in workerd, D1, objects, a provider of letters, browser and shell. */

const [browser, site] = await Promise.all([openBrowser(), openEdgeSite({ after })]);
after(() => browser.close());

test(`at the edge ${LIFECYCLE}`, (t) => walkThroughLifecycle(t, browser, site));
