import type { Page } from "playwright-core";
import { visitor } from "./fixtures.ts";
import * as sales from "./sales-fixtures.ts";
import { broken, type Mock, type Mocks, problem, type Screen, statesOf } from "./screen-mocks.ts";

const [endpoint] = sales.endpoints as [(typeof sales.endpoints)[number]];
const made = { endpoint, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" };
const log = `GET /dashboard/webhooks/${endpoint.id}/deliveries`;
const trackedPurchase = `GET /dashboard/purchases/${sales.PURCHASE}`;

/** The responses about purchases, notifications and webhooks. */
export const SALES_MOCKS: Mocks = {
  "GET /dashboard/prices": { body: sales.prices },
  "GET /dashboard/purchases": { body: sales.purchases },
  "GET /dashboard/notifications": { body: sales.events },
  "PUT /dashboard/notifications": { body: sales.events },
  "GET /dashboard/webhooks": { body: { endpoints: sales.endpoints, max: 5 } },
  [log]: { body: sales.deliveries },
  "POST /dashboard/webhooks": { status: 201, body: made },
};
export const NO_SALES: Mocks = {
  "GET /dashboard/purchases": { body: { purchases: [], next: null } },
  "GET /dashboard/webhooks": { body: { endpoints: [], max: 5 } },
};

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name }).first().click();
const inDialog = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** `all` has the responses for an account with data of every kind. */
export function listSalesScreens(all: Mocks): Screen[] {
  const at: At = (path, prefix) => statesOf(prefix, path, all);
  return [
    ...creditScreens(at),
    ...notificationScreens(at("/settings/notifications", "notifications")),
    ...webhookScreens(at("/settings/webhooks", "webhooks")),
    ...unsubscribeScreens(at),
  ];
}

const visitorWith = (sold: typeof visitor.sales): Mocks => ({
  "GET /dashboard/visitor": { body: { ...visitor, sales: sold } },
});
const unsold = visitorWith({ payable: false, contact: null });

type At = (
  path: string,
  prefix: string,
) => (state: string, mocks?: Mocks, actions?: Screen["actions"]) => Screen;

function creditScreens(at: At): Screen[] {
  const credits = at("/credits", "credits");
  const purchases = at("/credits?tab=purchases", "credits, purchases");
  const back = at(`/credits?purchase=${sales.PURCHASE}`, "credits, back from payment");
  const response = (mock: Mock): Mocks => ({ [trackedPurchase]: mock });
  return [
    ...(["paid", "trouble"] as const).map((state) =>
      back(state, response({ body: sales.purchaseIn[state] })),
    ),
    at(`/credits?cancelled=${sales.PURCHASE}`, "credits, back without paying")(
      "open",
      response({ body: sales.purchaseIn.open }),
    ),
    back("loading", response("silence")),
    back("unknown", response(problem(404, "not_found", "Purchase not found."))),
    back("error", response(broken)),
    credits("lifetime plan", { "GET /dashboard/credits": { body: sales.lifetimeCredits } }),
    credits("sold by the operator", {
      ...visitorWith({ payable: false, contact: "sales@example.com" }),
      "GET /dashboard/prices": { body: sales.byHand },
    }),
    credits("nothing sold", {
      ...NO_SALES,
      ...unsold,
      "GET /dashboard/prices": { body: sales.noPrices },
    }),
    credits("buying, waiting", { "POST /dashboard/purchases": "silence" }, press("Buy Small")),
    purchases("all"),
    purchases("none", NO_SALES),
  ];
}

function notificationScreens(notifications: ReturnType<At>): Screen[] {
  const fill = (text: string) => async (page: Page) => {
    const field = page.getByLabel("Alert me when my balance drops below");
    await field.fill(text);
    await field.press("Enter");
  };
  const saved = { ...sales.events, lowBalance: 0 };
  return [
    notifications("saved", { "PUT /dashboard/notifications": { body: saved } }, fill("0")),
    notifications("no number", {}, fill("")),
  ];
}

function webhookScreens(webhooks: ReturnType<At>): Screen[] {
  const openLog = press(/^Show deliveries/);
  const choose = (action: RegExp) => async (page: Page) => {
    await press(/^Actions for/)(page);
    await page.getByRole("menuitem", { name: action }).click();
  };
  const add = async (page: Page) => {
    await press("Add endpoint")(page);
    await page.getByLabel("URL").fill("https://example.com/hooks");
    await inDialog(page, "Add endpoint");
  };
  const one = [endpoint];
  return [
    webhooks("closing without storing the secret", {}, async (page) => {
      await add(page);
      await inDialog(page, "Close");
    }),
    webhooks("nothing entered", {}, async (page) => {
      await press("Add endpoint")(page);
      for (const box of await page.getByRole("dialog").getByRole("checkbox").all()) {
        await box.uncheck();
      }
      await inDialog(page, "Add endpoint");
    }),
    webhooks("added", { "GET /dashboard/webhooks": { body: { endpoints: one, max: 5 } } }, add),
    webhooks("editing", {}, choose(/^Edit/)),
    webhooks("deliveries", {}, openLog),
    webhooks("a delivery opened", {}, async (page) => {
      await openLog(page);
      await page.locator("summary", { hasText: "Failed" }).first().click();
    }),
  ];
}

function unsubscribeScreens(at: At): Screen[] {
  const unsubscribe = at("/unsubscribe?token=acc_1.low.0123", "unsubscribe");
  const response = (mock: Mock): Mocks => ({ "POST /dashboard/notifications/unsubscribe": mock });
  const stop = press("Unsubscribe");
  return [
    unsubscribe("confirmation"),
    unsubscribe("done", response({ body: { emails: "low" } }), stop),
    unsubscribe(
      "wrong token",
      response(problem(400, "invalid_request", "The link is invalid.")),
      stop,
    ),
  ];
}
