import { after, test } from "node:test";
import { openBrowser } from "../chromium.ts";
import { openSite } from "../people-site.ts";
import { goTheWholeWay, WHOLE_WAY } from "../people-way.ts";

/** With everything real: browser, service, mail server, shell. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

test(WHOLE_WAY, (t) => goTheWholeWay(t, browser, site));
