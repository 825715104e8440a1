import { after, test } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import { openSite } from "../../support/dashboard-site.ts";
import { goTheWholeWay, WHOLE_WAY } from "../../support/dashboard-steps.ts";

/** With everything real: browser, service, mail server, shell. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

test(WHOLE_WAY, (t) => goTheWholeWay(t, browser, site));
