import { namesOf } from "#api/openapi/tool-schemas.ts";
import { callPrice, freeCall, havePrices, priceCell } from "#api/openapi/words.ts";
import { hasOwnName } from "#brand.ts";
import { counted } from "#counted.ts";
import { createThrottle } from "#ledger/throttle.ts";
import type { Tool } from "#tools/define-tool.ts";
import { type CreditSales, topUp } from "#top-up.ts";
import {
  browserTools,
  type PageOptions,
  type SettingShown,
  signUpIsOpen,
  soldBy,
} from "../page-options.ts";
import type { DocsFacts } from "./expand.ts";
import {
  curlSample,
  mcpRepeatSample,
  mcpSample,
  repeatSample,
  sampleCall,
} from "./first-call-samples.ts";
import { autolink, formatCount, inlineCode, sentence, table } from "./markdown.ts";
import { docsSlugOf } from "./navigation.ts";
import {
  errorEntries,
  errorsTable,
  grantsTable,
  limitsTable,
  requestHeadersTable,
  responseHeadersTable,
  settingsTable,
  typesTable,
} from "./reference-tables.ts";
import { toolReference } from "./tool-reference.ts";

/** What the pages say of this service, from the code and the settings that decide it. */
export function docsFacts(options: PageOptions): DocsFacts {
  const { dashboard, tools, rateLimit, settings = [] } = options;
  const { prices, starter, providers } = dashboard;
  const isSold = soldBy(options) !== null;
  const pages = browserTools(options);
  return {
    conditions: {
      "browser-tools": pages.length > 0,
      operators: !hasOwnName(options),
      tool: (name) => tools.some((tool) => tool.name === name),
      "sign-up": signUpIsOpen(options),
      "social-sign-in": providers.length > 0,
      "starter-credits": signUpIsOpen(options) && starter.credits > 0,
      "rate-limit": rateLimit > 0,
      "several-prices": havePrices(tools),
      "held-tools": tools.some(({ effect }) => effect !== "none"),
      "prices-by-input": tools.some(({ priceOf }) => priceOf !== undefined),
      "file-tools": tools.some(({ file }) => file !== undefined),
      sales: isSold,
      checkout: isSold && prices.payable,
      "taxes-added": isSold && prices.taxesAdded,
      lifetime: isSold && prices.lifetime !== null,
    },
    values: {
      "call-price": callPrice(tools),
      "free-call": freeCall(options, "successful call"),
      "starter-credits": counted(starter.credits, "starter credit"),
      "starter-days": counted(starter.days, "day"),
      "rate-limit": counted(rateLimit, "call"),
      "rate-limit-burst": formatCount(2 * rateLimit),
      "rate-limit-policy": inlineCode(`RateLimit-Policy: ${createThrottle(rateLimit).policy}`),
      "social-sign-in": providers.map((name) => PROVIDERS[name]).join(" or "),
      "lifetime-name": sentence(prices.lifetime?.name ?? ""),
      "top-up": topUpText(prices),
      contact: prices.contact ? autolink(prices.contact) : "the operator of this service",
      "server-settings": namesOfSettings(settings.filter(({ isOfServer }) => isOfServer)),
      "call-settings": namesOfSettings(settings.filter(({ isOfCalls }) => isOfCalls)),
      operations: [...tools.flatMap(operationsOf), "getAccount"].map(inlineCode).join(", "),
    },
    blocks: {
      "tool-prices": () =>
        table(
          ["Tool", "Credits per call"],
          tools.map((tool) => [inlineCode(tool.name), priceCell(tool)]),
        ),
      "tool-list": () =>
        tools
          .map(
            (tool) => `- [\`${tool.name}\`](${docsSlugOf(tool)}.md): ${sentence(tool.summary)}\n`,
          )
          .join(""),
      "browser-tool-list": () =>
        pages
          .map(
            ({ name, summary }) =>
              `- [\`${name}\`](${PLACEHOLDER_URL}/tools/${name}): ${sentence(summary)}\n`,
          )
          .join(""),
      errors: () => errorsTable(),
      "error-entries": () => errorEntries(options),
      limits: () => limitsTable(tools),
      types: () => typesTable(tools),
      settings: () => settingsTable(options.settings ?? []),
      "request-headers": () => requestHeadersTable(),
      "response-headers": () => responseHeadersTable(options),
      grants: () => grantsTable(options),
      tool: (name) => toolReference(name, options),
      sample: () => sampleCall(options),
      call: () => curlSample(options),
      repeat: () => repeatSample(options),
      "mcp-call": () => mcpSample(options),
      "mcp-repeat": () => mcpRepeatSample(options),
    },
  };
}

function operationsOf(tool: Tool): string[] {
  const { operation, quote } = namesOf(tool);
  return tool.priceOf === undefined ? [operation] : [operation, quote];
}

/** How to get more credits, with links: an address that is escaped like text would be broken for readers of the Markdown. */
function topUpText(sales: CreditSales): string {
  const { kind, sentence: text } = topUp(sales, PLACEHOLDER_URL);
  if (kind === "buy") return `Buy credits on the [Credits](${PLACEHOLDER_URL}/credits) page.`;
  const { contact } = sales;
  if (contact === null || !text.endsWith(contact)) return sentence(text);
  return sentence(text.slice(0, -contact.length)) + autolink(contact);
}

/** The address that the pages write for this service. GitHub shows it; the site shows the address of the service. */
export const PLACEHOLDER_URL = "https://api.example.com";

const PROVIDERS = { github: "GitHub", google: "Google" };

const namesOfSettings = (settings: readonly SettingShown[]): string =>
  settings.map(({ name }) => inlineCode(name)).join(", ");
