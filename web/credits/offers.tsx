import { Box, Text, VisuallyHidden } from "@mantine/core";
import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { lastsText, perThousand } from "#site/offer-text.ts";
import { recommendedOffer } from "#site/pack-plan.ts";
import { contactHref, topUp } from "#top-up.ts";
import { absoluteUrl } from "../addresses.ts";
import { isSuspended } from "../keys/restriction.tsx";
import { BusyButton } from "../parts/buttons.tsx";
import { AgreementText, RefundsLink } from "../parts/legal-links.tsx";
import { Failure } from "../parts/message.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { useVisitor } from "../queries.ts";
import { Estimate } from "./estimate.tsx";
import { useBuy } from "./purchases.ts";

/** The credit packs and the lifetime plan, with buttons to buy them, or the operator's contact if nothing is sold online. */
export function Offers({ prices, lifetime }: { prices: PricesView; lifetime: boolean }) {
  const { packs, payable } = prices;
  const recommended = recommendedOffer(prices);
  const buy = useBuy();
  const canBuy = payable && !isSuspended(useVisitor().data?.user);
  const isBusy = (id: string) => (buy.isPending || buy.isSuccess) && buy.variables.offer === id;
  // Only one at a time, because each leaves this page.
  const start = (id: string) => !buy.isPending && !buy.isSuccess && buy.mutate({ offer: id });
  const button = (offer: OfferView) => (
    <BusyButton
      size="sm"
      variant={recommended === null || offer.id === recommended ? "filled" : "default"}
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
      title={payable ? "Buy credits" : "Get credits"}
      description={payable ? <PaymentTerms prices={prices} /> : <Ask contact={prices.contact} />}
    >
      {packs.length > 0 && <Estimate prices={prices} lifetime={lifetime} />}
      {packs.length > 0 && (
        <Records
          label="Credit packs"
          columns={columns(lifetime, recommended)}
          rows={packs}
          {...(canBuy ? { actions: button } : {})}
        />
      )}
      {prices.lifetime !== null && (
        <div className="tb-plan">
          <Lifetime offer={prices.lifetime} isRecommended={recommended === prices.lifetime.id} />
          {lifetime ? (
            <State shape="check" tone="ok" title="Your account is on this plan" />
          ) : (
            canBuy && button(prices.lifetime)
          )}
        </div>
      )}
      {buy.isError && (
        <Box mt="md">
          <Failure error={buy.error} />
        </Box>
      )}
    </Section>
  );
}

const PaymentTerms = ({ prices }: { prices: PricesView }) => (
  <>
    You make a one-time payment on our payment provider’s page, which also sends your receipt. There
    is no subscription.
    {prices.taxesAdded && " Taxes are added there, based on your address."}{" "}
    <AgreementText by="buying credits" /> <RefundsLink />
  </>
);

/** The sentence of `topUp`, with the contact as a link. */
function Ask({ contact }: { contact: string | null }) {
  const { sentence } = topUp({ payable: false, contact }, absoluteUrl(""));
  const [before = "", after] = contact === null ? [sentence] : sentence.split(contact);
  return (
    <>
      Credits are not sold on this page. {before}
      {contact !== null && <a href={contactHref(contact)}>{contact}</a>}
      {after}
    </>
  );
}

/** Packs bought on the lifetime plan do not expire either. */
const columns = (lifetime: boolean, recommended: string | null): Column<OfferView>[] => [
  {
    head: "Pack",
    cell: ({ id, name }) => (
      <>
        {name} {id === recommended && <Recommended />}
      </>
    ),
  },
  { head: "Credits", cell: ({ credits }) => formatNumber(credits), numeric: true },
  { head: "Price", cell: ({ priceText }) => priceText, numeric: true, inCard: "beside" },
  { head: "Per 1,000 credits", cell: (offer) => perThousand(offer), numeric: true },
  { head: "Valid for", cell: ({ months }) => lastsText(lifetime ? null : months) },
];

const Recommended = () => <span className="tb-mark">Recommended</span>;

const Lifetime = ({ offer, isRecommended }: { offer: OfferView; isRecommended: boolean }) => (
  <div>
    <Text fw={600} component="h3">
      {offer.name}: {counted(offer.credits, "credit")} for {offer.priceText}{" "}
      {isRecommended && <Recommended />}
    </Text>
    <Text c="dimmed" size="sm" mt={4} maw="40rem">
      Your credits never expire, including any you already have. {perThousand(offer)} per 1,000
      credits.
    </Text>
  </div>
);
