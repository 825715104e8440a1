import { after, test } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import { LIFECYCLE, walkThroughLifecycle } from "../../support/dashboard-lifecycle.ts";
import { openEdgeSite } from "../../support/edge-site.ts";

/** The lifecycle at the edge: both Workers in workerd, D1, objects, an email provider, browser and shell. */

const [browser, site] = await Promise.all([openBrowser(), openEdgeSite({ after })]);
after(() => browser.close());

test(`at the edge ${LIFECYCLE}`, (t) => walkThroughLifecycle(t, browser, site));
