/** Where an account is placed by the region of the request that opens it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { atLocation, inJurisdiction, NO_PLACEMENT } from "#placement.ts";
import { locationOf, placementFor, type Region } from "../../../src/apps/edge/region.ts";

const near = (continent: string, country: string, longitude?: string) =>
  locationOf({ continent, country, ...(longitude !== undefined && { longitude }) });

test("America is divided by longitude", () => {
  const places: [city: string, country: string, longitude: string, location: string][] = [
    ["Seattle", "US", "-122.33", "wnam"],
    ["Denver", "US", "-104.99", "wnam"],
    ["Austin", "US", "-97.74", "enam"],
    ["New York", "US", "-74.01", "enam"],
    ["Vancouver", "CA", "-123.12", "wnam"],
    ["Toronto", "CA", "-79.38", "enam"],
    ["Tijuana", "MX", "-117.04", "wnam"],
    ["Mexico City", "MX", "-99.13", "enam"],
    ["San Juan", "PR", "-66.11", "enam"],
  ];
  for (const [city, country, longitude, location] of places) {
    assert.equal(near("NA", country, longitude), location, city);
  }
  assert.equal(near("OC", "US", "-157.86"), "wnam", "Honolulu");
  for (const unknown of [undefined, "", "far"]) assert.equal(near("NA", "US", unknown), "enam");
});

test("other continents are one location each, but for the east of Europe and the Middle East", () => {
  const places: Record<string, [continent: string, country: string][]> = {
    weur: [
      ["EU", "DE"],
      ["EU", "GB"],
      ["EU", "PT"],
      ["EU", "SE"],
      ["EU", "CH"],
    ],
    eeur: [
      ["EU", "PL"],
      ["EU", "UA"],
      ["EU", "GR"],
      ["EU", "RO"],
      ["AS", "TR"],
      ["AS", "KZ"],
    ],
    me: [
      ["AS", "AE"],
      ["AS", "IL"],
      ["AS", "SA"],
      ["AF", "EG"],
    ],
    apac: [
      ["AS", "JP"],
      ["AS", "IN"],
      ["AS", "SG"],
      ["AS", "CN"],
    ],
    oc: [
      ["OC", "AU"],
      ["OC", "NZ"],
    ],
    afr: [
      ["AF", "ZA"],
      ["AF", "KE"],
      ["AF", "MA"],
    ],
    sam: [
      ["SA", "BR"],
      ["SA", "CL"],
    ],
  };
  for (const [location, countries] of Object.entries(places)) {
    for (const [continent, country] of countries) {
      assert.equal(near(continent, country), location, country);
    }
  }
});

test("an unknown region has no location", () => {
  const unknown: Region[] = [
    {},
    { country: "T1" },
    { country: "XX", continent: "" },
    { country: "AQ", continent: "AN" },
    { country: 7, continent: ["EU"], longitude: {} },
    { country: "constructor", continent: "__proto__" },
  ];
  for (const region of unknown) assert.equal(locationOf(region), null, JSON.stringify(region));
});

test("the service's jurisdiction comes first, and its location last", () => {
  const request = (cf?: Region) => Object.assign(new Request("https://edge.test"), { cf });
  const inJapan = request({ continent: "AS", country: "JP" });
  assert.deepEqual(placementFor(NO_PLACEMENT, inJapan), atLocation("apac"));
  assert.deepEqual(placementFor(atLocation("weur"), inJapan), atLocation("apac"));
  assert.deepEqual(placementFor(inJurisdiction("eu"), inJapan), inJurisdiction("eu"));
  for (const unknown of [request(), request({}), new Request("https://edge.test")]) {
    assert.deepEqual(placementFor(NO_PLACEMENT, unknown), NO_PLACEMENT);
    assert.deepEqual(placementFor(atLocation("weur"), unknown), atLocation("weur"));
  }
});
