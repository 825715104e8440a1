import { Text, VisuallyHidden } from "@mantine/core";
import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { contactHref, lastsText, perThousand } from "#site/offer-text.ts";
import { restrictionOf } from "../keys/restriction.tsx";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure } from "../parts/message.tsx";
import { counted, formatNumber } from "../parts/numbers.ts";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { useVisitor } from "../queries.ts";
import { useBuy } from "./purchases.ts";

/** What can be bought, and how: here, or from whoever runs the service. */
export function Offers({ prices, lifetime }: { prices: PricesView; lifetime: boolean }) {
  const { packs, payable } = prices;
  const buy = useBuy();
  const restriction = restrictionOf(useVisitor().data?.person);
  const open = payable && restriction === null;
  const isBusy = (id: string) => (buy.isPending || buy.isSuccess) && buy.variables.offer === id;
  // One at a time: each opens a page of its own.
  const start = (id: string) => !buy.isPending && !buy.isSuccess && buy.mutate({ offer: id });
  const button = (offer: OfferView) => (
    <BusyButton
      size="sm"
      busy={isBusy(offer.id)}
      busyLabel="Opening"
      onClick={() => start(offer.id)}
    >
      Buy
      <VisuallyHidden>&nbsp;{offer.name}</VisuallyHidden>
    </BusyButton>
  );
  return (
    <Section
      title={payable ? "Buy credits" : "More credits"}
      description={payable ? <PaymentTerms prices={prices} /> : <Ask contact={prices.contact} />}
    >
      {packs.length > 0 && (
        <Records
          label="Credit packs"
          columns={columns(lifetime)}
          rows={packs}
          {...(open ? { actions: button } : {})}
        />
      )}
      {prices.lifetime !== null && (
        <div className="tb-plan">
          <Lifetime offer={prices.lifetime} />
          {lifetime ? (
            <State shape="check" tone="ok">
              Your account is on this plan
            </State>
          ) : (
            open && button(prices.lifetime)
          )}
        </div>
      )}
      {buy.isError && (
        <div className="tb-dialog-failure">
          <Failure error={buy.error} />
        </div>
      )}
    </Section>
  );
}

const PaymentTerms = ({ prices }: { prices: PricesView }) => (
  <>
    You pay once, on the page of our payment provider, and receipts come from there; there is no
    subscription.{prices.taxesAdded && " Taxes are added there, by your address."}
  </>
);

const Ask = ({ contact }: { contact: string | null }) =>
  contact === null ? (
    <>Credits are not sold on this page. Ask the operator of this service when you need more.</>
  ) : (
    <>
      Credits are not sold on this page. When you need more, ask the operator of this service:{" "}
      <a href={contactHref(contact)}>{contact}</a>
    </>
  );

/** What is bought on the lifetime plan does not expire either. */
const columns = (lifetime: boolean): Column<OfferView>[] => [
  { head: "Pack", cell: ({ name }) => name },
  { head: "Credits", cell: ({ credits }) => formatNumber(credits), numeric: true },
  { head: "Price", cell: ({ priceText }) => priceText, numeric: true, inCard: "beside" },
  { head: "Per 1,000 credits", cell: (offer) => perThousand(offer), numeric: true },
  { head: "Good for", cell: ({ months }) => lastsText(lifetime ? null : months) },
];

const Lifetime = ({ offer }: { offer: OfferView }) => (
  <div>
    <Text fw={600} component="h3">
      {offer.name}: {counted(offer.credits, "credit")} for {offer.priceText}
    </Text>
    <Text c="dimmed" size="sm" mt={4} maw="40rem">
      On this plan credits do not expire: neither these, nor those that you have now or get later.
      {" A thousand of them cost "}
      {perThousand(offer)}.
    </Text>
  </div>
);
