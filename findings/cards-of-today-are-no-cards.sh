#!/usr/bin/env bash
# A form checks the number of a card before it is sent to the service that takes the payment: the numbers that Stripe has for tests, one of each kind, in eight libraries.
# Expected: all are accepted. They have right check digits, and the kinds are old: Mastercard has numbers that begin with 2 since 2017, UnionPay some of 19 digits.
# Seen on 2026-11-30: validator 13.15.35 refuses the Diners card of 16 digits and the UnionPay card of 19, payment 2.4.7 the former. credit-card-validator 1.0.8 refuses the Mastercard that begins with 2, both Diners and all UnionPay cards.
# valibot 1.5.0, joi 18.3.2, card-validator 10.0.4, creditcards 5.0.0 and fast-luhn 2.0.2 accept all. A person with such a card cannot pay, and the service never hears of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts validator@13.15.35 payment@2.4.7 credit-card-validator@1.0.8 valibot@1.5.0 joi@18.3.2 card-validator@10.0.4 creditcards@5.0.0 fast-luhn@2.0.2
cat > seen.mjs <<'JS'
import cardValidator from "card-validator";
import creditCardValidator from "credit-card-validator";
import creditcards from "creditcards";
import * as fastLuhn from "fast-luhn";
import joi from "joi";
import payment from "payment";
import * as v from "valibot";
import validator from "validator";
const libraries = {
  validator: (number) => validator.isCreditCard(number),
  payment: (number) => payment.fns.validateCardNumber(number),
  "credit-card-validator": (number) => creditCardValidator.validateCard(number),
  valibot: (number) => v.is(v.pipe(v.string(), v.creditCard()), number),
  joi: (number) => joi.string().creditCard().validate(number).error === undefined,
  "card-validator": (number) => cardValidator.number(number).isValid,
  creditcards: (number) => creditcards.card.isValid(number),
  "fast-luhn": (number) => fastLuhn.default(number),
};
const cards = {
  Visa: "4242424242424242", Mastercard: "5555555555554444", "Mastercard 2": "2223003122003222", "American Express": "378282246310005", Discover: "6011111111111117", Diners: "3056930009020004", "Diners 14": "36227206271667",
  JCB: "3566002020360505", UnionPay: "6200000000000005", "UnionPay 19": "6205500000000000004", "BCcard and DinaCard": "6555900000604105", "Cartes Bancaires": "4000002500001001",
};
for (const [name, accepts] of Object.entries(libraries)) {
  const refused = Object.keys(cards).filter((kind) => accepts(cards[kind]) !== true);
  console.log(`${name} refuses: ${refused.join(", ") || "none"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'validator refuses: Diners, UnionPay 19
payment refuses: Diners
credit-card-validator refuses: Mastercard 2, Diners, Diners 14, UnionPay, UnionPay 19
valibot refuses: none
joi refuses: none
card-validator refuses: none
creditcards refuses: none
fast-luhn refuses: none' ]
