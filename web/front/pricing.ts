import type { PricesView } from "#api/dashboard/shapes.ts";
import { estimateOf } from "#site/pack-plan.ts";

const CREDITS_MAX = 1_000_000_000;
/** Separators may stand before three digits, so that 2.5 is not read as 25. */
const WHOLE_NUMBER = /^\d+(?:[\s,._'’]\d{3})*$/;

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
  const text = field.value.trim();
  const credits = Number(text.replace(/\D/g, ""));
  const isValid = WHOLE_NUMBER.test(text) && credits >= 1 && credits <= CREDITS_MAX;
  field.setAttribute("aria-invalid", String(!isValid));
  const estimate = isValid ? estimateOf(prices, credits) : null;
  if (estimate === null) return [new Text("Enter a whole number from 1 to 1,000,000,000.")];
  const [month, details] = [document.createElement("b"), document.createElement("small")];
  month.textContent = estimate.month;
  details.textContent = estimate.details;
  return [month, new Text(estimate.rest), details];
}
