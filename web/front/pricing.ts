import type { PricesView } from "#api/dashboard/shapes.ts";
import { bestPlan, lifetimePlan, lifetimeText, purchasesText } from "#site/pack-plan.ts";

const CREDITS_MAX = 1_000_000_000;

/** Makes the calculator of the pricing page answer for any number. The page has a table of examples without it. */
export function startPricing(section: HTMLElement): void {
  const box = section.querySelector<HTMLElement>(".estimate");
  const field = section.querySelector("input");
  const output = section.querySelector<HTMLElement>("#estimate");
  if (box === null || field === null || output === null) return;
  const prices = JSON.parse(section.dataset["pricing"] ?? "null") as PricesView;
  const show = () => output.replaceChildren(...linesOf(prices, field));
  field.addEventListener("input", show);
  // The sentence under the table is about one number; the calculator says it for the one in its field.
  section.querySelector("[data-lifetime]")?.remove();
  box.hidden = false;
  show();
}

function linesOf(prices: PricesView, field: HTMLInputElement): Node[] {
  const text = field.value.replace(/[\s,._']/g, "");
  const credits = Number(text);
  const isValid = /^\d+$/.test(text) && credits >= 1 && credits <= CREDITS_MAX;
  field.toggleAttribute("aria-invalid", !isValid);
  const plan = isValid ? bestPlan(prices, credits) : null;
  if (plan === null) return [new Text("Enter a whole number from 1 to 1,000,000,000.")];
  const lifetime = lifetimePlan(prices, credits);
  const first = document.createElement("b");
  first.textContent = `${plan.month} a month`;
  const rest = document.createElement("small");
  const more = lifetime === null ? "" : ` ${lifetimeText(lifetime)}`;
  rest.textContent = `${purchasesText(plan)}.${more}`;
  return [first, new Text(` on average, ${plan.year} in the first year.`), rest];
}
