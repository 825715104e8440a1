import { type App, createApp } from "#api/app.ts";
import { viewPrices } from "#api/dashboard/prices.ts";
import { STRIPE_MESSAGE_PATH } from "#api/dashboard/stripe-message.ts";
import { createToolCalls } from "#api/tool-calls.ts";
import { salesOf } from "#billing/price-list.ts";
import type { AppContext, CallPlatform, CallStores } from "#calls/app-context.ts";
import { readBody } from "#calls/body.ts";
import { SETTINGS } from "#config/settings.ts";
import { DASHBOARD_BODY_BYTES_MAX, STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import type { DashboardOffer } from "#site/page-options.ts";
import { createSite } from "#site/site.ts";
import { apiOptionsOf } from "#site/site-context.ts";
import type { Dashboard, ServiceConfig, SiteFiles } from "./parts.ts";

/** What a runtime supplies to a whole service. */
export type Platform = CallPlatform & {
  version: string;
  files: SiteFiles;
  /** In this process (`createDashboard`) or on a thread of its own. */
  dashboard: Dashboard;
  /** Whether the request is for the operator API. It is asked for every call. */
  isForOperator(request: Request, connection: unknown): boolean;
};

export type Service = App & {
  /** Runs what is due; for runtimes that start nothing by themselves. */
  scheduled(at: number): Promise<void>;
  close(): Promise<void>;
};

/** The whole service: calls, pages, dashboard and operator API. Every runtime composes it here. */
export function createService({
  config,
  stores,
  platform: { version, files, dashboard, isForOperator, ...platform },
}: {
  config: ServiceConfig;
  stores: CallStores;
  platform: Platform;
}): Service {
  const sales = salesOf(config.prices, config.stripe !== null, config.contact);
  const context: AppContext = { ...stores, ...platform, settings: config, sales: () => sales };
  const settings = {
    ...apiOptionsOf(context, version),
    contact: config.contact,
    look: { ...config.look, logo: config.logo ?? null },
    table: SETTINGS,
    securityContact: config.securityContact,
  };
  async function fetchDashboard(request: Request, connection: unknown): Promise<Response> {
    const { bodyTimeoutMs } = platform;
    const options = { timeoutMs: bodyTimeoutMs };
    const body = await readBody(request, bodyBytesMaxOf(request), null, options);
    return dashboard.fetch(request, body, connection);
  }
  const site = { settings, dashboard: { offer: offerOf(config), fetch: fetchDashboard }, ...files };
  const app = createApp(createToolCalls(context), createSite(site));
  return {
    ...app,
    fetch: (request, connection) =>
      isForOperator(request, connection)
        ? dashboard.fetchForOperator(request, connection)
        : app.fetch(request, connection),
    scheduled: dashboard.scheduled,
    close: dashboard.close,
  };
}

const bodyBytesMaxOf = ({ url }: Request) =>
  new URL(url).pathname === STRIPE_MESSAGE_PATH
    ? STRIPE_MESSAGE_BYTES_MAX
    : DASHBOARD_BODY_BYTES_MAX;

/** What the pages say of the dashboard. */
const offerOf = ({
  signUp,
  providers,
  prices,
  stripe,
  ...config
}: ServiceConfig): DashboardOffer => ({
  signUp,
  providers: Object.keys(providers) as DashboardOffer["providers"],
  starter: { credits: config.starterCredits, days: config.starterDays },
  prices: viewPrices(prices, stripe !== null, config.contact),
});
