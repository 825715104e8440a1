/** A data folder with an account that buys, and a fake of Stripe, for tests of processes that use them. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import { readPriceList } from "#billing/price-list.ts";
import { openBilling } from "#service/billing.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openDataFolder } from "../../../src/apps/node/data-folder.ts";
import { hashKey, random } from "../../../src/apps/node/runtime.ts";
import { openSecrets } from "../../../src/apps/node/secret-file.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { FAKE_SECRET_KEY, FAKE_WEBHOOK_SECRET, startFakeStripe } from "../../stripe/fake-stripe.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { openFolderService } from "../cli/folder-server.ts";
import { runHere } from "./run-command.ts";

const PRICES = {
  currency: "eur",
  packs: [
    { id: "small", name: "Small", credits: 100, price: "5.00" },
    { id: "yen", name: "Yen", credits: 300, price: "900", currency: "jpy" },
  ],
};

export async function openPayments(t: TestContext) {
  const fake = await startFakeStripe();
  t.after(() => fake.close());
  const folder = temporaryFolder(t);
  const dataDir = path.join(folder, "data");
  const prices = path.join(folder, "prices.json");
  mkdirSync(dataDir);
  writeFileSync(prices, JSON.stringify(PRICES));
  const env = {
    DATA_DIR: dataDir,
    STRIPE_SECRET_KEY: FAKE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: FAKE_WEBHOOK_SECRET,
    TOOLBOOTH_STRIPE_API: fake.api,
    TOOLBOOTH_PRICES: prices,
  };

  /** Opens the data briefly, as a process does. */
  async function within<Result>(
    action: (data: Awaited<ReturnType<typeof openData>>) => Promise<Result>,
  ) {
    const driver = openDataFolder(dataDir);
    try {
      return await action(await openData(driver));
    } finally {
      driver.close();
    }
  }

  async function openData(driver: ReturnType<typeof openDataFolder>) {
    const { ledger, directory } = openSqliteDirect(driver);
    const secrets = openSecrets(driver, { dataDir, secrets: null }, () => {});
    const purchases = createPurchaseStore(createSqliteDatabase(driver));
    const read = readPriceList(JSON.stringify(PRICES)).prices;
    assert.ok(read);
    const billing = openBilling({
      stripe: { secretKey: FAKE_SECRET_KEY, webhookSecret: FAKE_WEBHOOK_SECRET, api: fake.api },
      secrets,
      prices: read,
      purchases,
      ledger,
      now: Date.now,
      ...{ random, fetchClient: false },
    });
    const accountDeps = { ledger, directory, secrets, keyPrefix: "tb_", random, hashKey };
    return { driver, ledger, purchases, billing, accountDeps };
  }

  const account = (email: string) =>
    within(async ({ accountDeps }) => (await openAccount(accountDeps, email, Date.now())).account);
  /** Starts a purchase. Returns its id and the id of Stripe's checkout session. */
  const buy = (account: string, offer = "small") =>
    within(async ({ billing }) => {
      const begun = await billing.begin({
        account,
        offer,
        email: "ada@example.org",
        urlsOf: () => ({ successUrl: "https://a.test/", cancelUrl: "https://a.test/" }),
      });
      assert.ok(begun.outcome === "begun" && begun.purchase.session !== null);
      return { id: begun.purchase.id, session: begun.purchase.session };
    });
  /** Runs a command against a service on the data, with the settings in `more`. */
  async function run(line: string, more: { STRIPE_SECRET_KEY?: string; SECRET?: string } = {}) {
    const service = await openFolderService({ dataDir });
    const { STRIPE_SECRET_KEY: secretKey = FAKE_SECRET_KEY, SECRET } = more;
    const { ledger, context } = service;
    const read = readPriceList(JSON.stringify(PRICES)).prices;
    assert.ok(read);
    context.billing =
      secretKey === ""
        ? null
        : openBilling({
            stripe: { secretKey, webhookSecret: FAKE_WEBHOOK_SECRET, api: fake.api },
            ...{ secrets: SECRET?.split(",") ?? service.secrets, prices: read, ledger },
            purchases: createPurchaseStore(createSqliteDatabase(service.driver)),
            ...{ now: Date.now, random, fetchClient: false },
          });
    try {
      return await runHere(line, { DATA_DIR: dataDir });
    } finally {
      await service.stop();
    }
  }
  /** Runs a command that succeeds, and returns its object. */
  const json = async (line: string) => {
    const ran = await run(`${line} --json`);
    assert.equal(ran.exitCode, 0, ran.text);
    return ran.json;
  };
  /** Runs a command that exits with 1 and a result, and returns the result. */
  const failed = async (line: string) => {
    const ran = await run(`${line} --json`);
    assert.equal(ran.exitCode, 1, ran.text);
    return ran.json;
  };
  return { fake, env, dataDir, prices, within, account, buy, run, json, failed };
}
