import { after, test } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import { LIFECYCLE, walkThroughLifecycle } from "../../support/dashboard-lifecycle.ts";
import { openSite } from "../../support/dashboard-site.ts";

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

test(LIFECYCLE, (t) => walkThroughLifecycle(t, browser, site));
