import type { PricesView } from "#api/dashboard/shapes.ts";
import { estimateOf } from "#site/pack-plan.ts";
import { NO_NEED, needIn } from "../parts/numbers.ts";

/** Makes the calculator of the pricing page answer for any number. Without it, the page shows examples. */
export function startPricing(section: HTMLElement): void {
  const field = section.querySelector("input");
  const output = section.querySelector<HTMLElement>("#estimate");
  if (field === null || output === null) return;
  const prices = JSON.parse(section.dataset["pricing"] ?? "null") as PricesView;
  const show = () => output.replaceChildren(...linesOf(prices, field));
  field.addEventListener("input", show);
  field.readOnly = false;
  // The browser may have restored a number that was typed before the page was left.
  if (field.value !== field.defaultValue) show();
}

function linesOf(prices: PricesView, field: HTMLInputElement): Node[] {
  const credits = needIn(field.value);
  field.setAttribute("aria-invalid", String(credits === null));
  const estimate = credits === null ? null : estimateOf(prices, credits);
  if (estimate === null) return [new Text(NO_NEED)];
  const [month, details] = [document.createElement("b"), document.createElement("small")];
  month.textContent = estimate.month;
  details.textContent = estimate.details;
  return [month, new Text(estimate.rest), details];
}
