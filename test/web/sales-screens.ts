import type { Page } from "playwright-core";
import * as sold from "./sales-fixtures.ts";
import { broken, type Mock, type Mocks, problem, type Screen } from "./screen-mocks.ts";

const [endpoint] = sold.endpoints as [(typeof sold.endpoints)[number]];
const log = `GET /dashboard/webhooks/${endpoint.id}/deliveries`;
const followed = `GET /dashboard/purchases/${sold.PURCHASE}`;

/** What is asked about sales and notices. */
export const SALES_MOCKS: Mocks = {
  "GET /dashboard/prices": { body: sold.prices },
  "GET /dashboard/purchases": { body: sold.purchases },
  "GET /dashboard/purchases?after=cursor-2": { body: sold.olderPurchases },
  "GET /dashboard/notifications": { body: sold.events },
  "PUT /dashboard/notifications": { body: sold.events },
  "GET /dashboard/webhooks": { body: { endpoints: sold.endpoints, max: 5 } },
  [log]: { body: sold.deliveries },
  [`${log}?after=cursor-2`]: { body: sold.olderDeliveries },
  "POST /dashboard/webhooks": { status: 201, body: { endpoint } },
  [`PUT /dashboard/webhooks/${endpoint.id}`]: { body: { endpoint: { ...endpoint, paused: true } } },
  [`DELETE /dashboard/webhooks/${endpoint.id}`]: { body: {} },
};
export const NO_SALES: Mocks = {
  "GET /dashboard/purchases": { body: { purchases: [], next: null } },
  "GET /dashboard/webhooks": { body: { endpoints: [], max: 5 } },
};

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name }).first().click();
const inDialog = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** `all`: what an account that has everything is answered. */
export function listSalesScreens(all: Mocks): Screen[] {
  const at =
    (path: string, prefix: string) =>
    (state: string, mocks: Mocks = {}, actions?: Screen["actions"]): Screen => ({
      ...{ name: `${prefix}, ${state}`, path, mocks: { ...all, ...mocks } },
      ...(actions === undefined ? {} : { actions }),
    });
  return [
    ...creditScreens(at),
    ...notificationScreens(at("/settings/notifications", "notices")),
    ...webhookScreens(at("/settings/webhooks", "webhooks")),
    ...unsubscribeScreens(at),
  ];
}

type At = (
  path: string,
  prefix: string,
) => (state: string, mocks?: Mocks, actions?: Screen["actions"]) => Screen;

function creditScreens(at: At): Screen[] {
  const credits = at("/credits", "credits");
  const back = at(`/credits?purchase=${sold.PURCHASE}`, "credits, back from paying");
  const response = (mock: Mock): Mocks => ({ [followed]: mock });
  return [
    ...Object.entries(sold.purchaseIn).map(([state, body]) => back(state, response({ body }))),
    at(`/credits?cancelled=${sold.PURCHASE}`, "credits, back without paying")(
      "open",
      response({ body: sold.purchaseIn.open }),
    ),
    back("loading", response("silence")),
    back("unknown", response(problem(404, "not_found", "There is no such purchase."))),
    back("error", response(broken)),
    credits("lifetime plan", { "GET /dashboard/credits": { body: sold.lifetimeCredits } }),
    credits("sold by hand", { "GET /dashboard/prices": { body: sold.byHand } }),
    credits("nothing sold", {
      ...NO_SALES,
      "GET /dashboard/prices": { body: sold.noPrices },
    }),
    credits("prices do not come", { "GET /dashboard/prices": broken }),
    credits("buying, waiting", { "POST /dashboard/purchases": "silence" }, press("Buy Small")),
    credits(
      "buying refused",
      { "POST /dashboard/purchases": problem(503, "unavailable", "The payment provider is away.") },
      press("Buy Lifetime"),
    ),
    credits("older purchases", {}, press("Show older")),
  ];
}

function notificationScreens(events: ReturnType<At>): Screen[] {
  const fill = (text: string) => async (page: Page) => {
    await page.getByLabel("Alert me when my balance drops below").fill(text);
    await press("Save")(page);
  };
  const saved = { ...sold.events, lowBalance: 0 };
  return [
    events("saved", { "PUT /dashboard/notifications": { body: saved } }, fill("0")),
    events("no number", {}, fill("")),
    events("refused", { "PUT /dashboard/notifications": broken }, fill("100")),
  ];
}

function webhookScreens(webhooks: ReturnType<At>): Screen[] {
  const openLog = press(/^Show deliveries/);
  const unfold = async (page: Page, text: string) => {
    await openLog(page);
    await page.locator("summary", { hasText: text }).first().click();
  };
  const add = async (page: Page) => {
    await press("Add endpoint")(page);
    await page.getByLabel("URL").fill("https://example.com/hooks");
    await inDialog(page, "Add endpoint");
  };
  const one = [endpoint];
  return [
    webhooks("as many as can be", {
      "GET /dashboard/webhooks": { body: { endpoints: sold.fullEndpoints, max: 5 } },
    }),
    webhooks("secret shown", {}, press(/^Show\sthe secret/)),
    webhooks("adding", {}, press("Add endpoint")),
    webhooks("adding nothing", {}, async (page) => {
      await press("Add endpoint")(page);
      for (const box of await page.getByRole("dialog").getByRole("checkbox").all()) {
        await box.uncheck();
      }
      await inDialog(page, "Add endpoint");
    }),
    webhooks(
      "adding refused",
      { "POST /dashboard/webhooks": problem(400, "invalid_request", "Use an address with https.") },
      add,
    ),
    webhooks("added", { "GET /dashboard/webhooks": { body: { endpoints: one, max: 5 } } }, add),
    webhooks("editing", {}, press(/^Edit/)),
    webhooks(
      "pausing refused",
      { [`PUT /dashboard/webhooks/${endpoint.id}`]: broken },
      press(/^Pause/),
    ),
    webhooks("deleting", {}, press(/^Delete/)),
    webhooks("deliveries", {}, openLog),
    webhooks("deliveries, loading", { [log]: "silence" }, openLog),
    webhooks("no deliveries", { [log]: { body: { deliveries: [], next: null } } }, openLog),
    webhooks("deliveries do not come", { [log]: broken }, openLog),
    webhooks("a delivery unfolded", {}, (page) => unfold(page, "Failed")),
    webhooks(
      "sent again",
      {
        [log]: { body: sold.olderDeliveries },
        [`POST /dashboard/webhooks/${endpoint.id}/deliveries/del_1/again`]: {
          ...{ status: 201, body: { id: "del_6" } },
        },
      },
      async (page) => {
        await unfold(page, "credits.granted");
        await press("Resend")(page);
        await page.getByText("Resent as a new delivery").waitFor();
      },
    ),
  ];
}

function unsubscribeScreens(at: At): Screen[] {
  const unsubscribe = at("/unsubscribe?token=acc_1.low.0123", "unsubscribe");
  const response = (mock: Mock): Mocks => ({ "POST /dashboard/notifications/unsubscribe": mock });
  const stop = press("Unsubscribe");
  return [
    unsubscribe("asked"),
    unsubscribe("done", response({ body: { emails: "low" } }), stop),
    unsubscribe("done with the other sort", response({ body: { emails: "expiring" } }), stop),
    unsubscribe("wrong token", response(problem(400, "invalid_request", "No such link.")), stop),
    unsubscribe("refused", response(broken), stop),
    unsubscribe("service away", response("away"), stop),
    at("/unsubscribe", "unsubscribe")("no token"),
  ];
}
