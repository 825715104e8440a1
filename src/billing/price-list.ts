/**
 * What is sold: the operator's price list, one JSON file. Prices are whole numbers of the currency's smallest unit inside
 * the service ("minor units", as the payment provider counts), and decimal texts in the file.
 */
export type Offer = {
  /** Its name in the file, such as `small`; `lifetime` for the plan. */
  id: string;
  kind: "pack" | "lifetime";
  /** As people read it. */
  name: string;
  credits: number;
  /** In minor units. */
  price: number;
  /** ISO 4217, in small letters. */
  currency: string;
  /** Calendar months until its credits expire; null: never. */
  months: number | null;
};

export type PriceList = {
  packs: readonly Offer[];
  lifetime: Offer | null;
  /** Whether the provider works out taxes by the buyer's address. */
  taxes: "none" | "automatic";
  /** Who sells and answers questions: an e-mail address or a web address; null where the file names none. */
  contact: string | null;
};
