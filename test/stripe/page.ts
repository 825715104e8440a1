import type { StripeObject } from "./objects.ts";

/** The checkout page as a browser sees it: what is bought, and three ways to leave. */
export function payPage(session: StripeObject): string {
  const { product } = session["hidden"] as { product?: string };
  const amount = `${session["amount_total"]} ${session["currency"]}`;
  const isOpen = session["status"] === "open";
  const button = (act: string, text: string) =>
    `<button name="act" value="${act}">${text}</button>`;
  return layout(
    "Checkout",
    isOpen
      ? `<p>${escaped(product ?? "")}: ${escaped(amount)}</p>
<p>${escaped(String(session["customer_email"]))}</p>
<form method="post">${button("pay", "Pay")} ${button("later", "Pay by bank debit")} ${button("cancel", "Cancel")}</form>`
      : "<p>This page has expired or was paid.</p>",
  );
}

export const plainPage = (title: string, id: string) => layout(title, `<p>${escaped(id)}</p>`);

const layout = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`;

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
