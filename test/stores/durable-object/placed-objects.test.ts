/** Where the stubs of Durable Objects would create them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { type ObjectNamespace, placedObjects } from "#stores/durable-object/placed-objects.ts";

type Place = { name: string; hint?: string; jurisdiction?: string };

/** A stub is the place where it would create its object. */
const objectsIn = (jurisdiction?: string): ObjectNamespace<Place> => ({
  getByName: (name, options) => ({
    name,
    ...(options && { hint: options.locationHint }),
    ...(jurisdiction !== undefined && { jurisdiction }),
  }),
  jurisdiction: objectsIn,
});

const open = (texts: Record<string, string> = {}) => placedObjects(objectsIn(), texts);
const [NOWHERE, IN_OCEANIA, IN_EU] = ["acc_Ada000000000", "acc_Ada00000000g", "acc_Ada00000000E"];

test("an account lives where its id says, whatever the settings are", () => {
  for (const texts of [
    {},
    { TOOLBOOTH_LOCATION: "weur" },
    { TOOLBOOTH_JURISDICTION: "us" },
  ] as Record<string, string>[]) {
    const { ofAccount } = open(texts);
    const oceania = { name: "Ada00000000g", hint: "oc" };
    assert.deepEqual(ofAccount({ account: IN_OCEANIA }), oceania);
    assert.deepEqual(ofAccount({ account: IN_OCEANIA, location: "afr" }), oceania);
    const union = { name: "Ada00000000E", jurisdiction: "eu" };
    assert.deepEqual(ofAccount({ account: IN_EU }), union);
    assert.deepEqual(ofAccount({ account: IN_EU, location: "afr" }), union);
  }
});

test("an account whose id names no place is hinted by its import, else by the service", () => {
  const name = "Ada000000000";
  assert.deepEqual(open().ofAccount({ account: NOWHERE }), { name });
  assert.deepEqual(open().ofAccount({ account: NOWHERE, location: null }), { name });
  const weur = open({ TOOLBOOTH_LOCATION: "weur" });
  assert.deepEqual(weur.ofAccount({ account: NOWHERE }), { name, hint: "weur" });
  assert.deepEqual(weur.ofAccount({ account: NOWHERE, location: "me" }), { name, hint: "me" });
  // The id leads to the same object as before the setting.
  const eu = open({ TOOLBOOTH_JURISDICTION: "eu" });
  assert.deepEqual(eu.ofAccount({ account: NOWHERE }), { name });
});

test("objects of the service follow its settings", () => {
  const name = "readiness";
  assert.deepEqual(open().ofService(name), { name });
  const weur = open({ TOOLBOOTH_LOCATION: "weur" });
  assert.deepEqual(weur.ofService(name), { name, hint: "weur" });
  const eu = open({ TOOLBOOTH_JURISDICTION: "eu" });
  assert.deepEqual(eu.ofService(name), { name, jurisdiction: "eu" });
});

test("an account in an unknown jurisdiction is not looked for anywhere", () => {
  for (const account of ["acc_Ada00000000Z", "acc_Ada00000000A"]) {
    assert.throws(() => open().ofAccount({ account }), NotCarriedOut);
  }
  const name = "Ada00000000z";
  assert.deepEqual(open().ofAccount({ account: `acc_${name}` }), { name });
});

test("a jurisdiction that the runtime lacks is replaced on one's own machine only", () => {
  const given = {
    ...objectsIn(),
    jurisdiction(): never {
      throw new Error("Jurisdiction restrictions are not implemented in workerd.");
    },
  };
  const at = (PUBLIC_URL: string, objects: ObjectNamespace<Place> = given) =>
    placedObjects(objects, { PUBLIC_URL }).ofAccount({ account: IN_EU });
  for (const own of ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:1"]) {
    assert.deepEqual(at(own), { name: "Ada00000000E" }, own);
  }
  assert.throws(() => at("https://tools.example.com"), NotCarriedOut);
  const broken = {
    ...given,
    jurisdiction(): never {
      throw new Error("internal error");
    },
  };
  assert.throws(() => at("http://127.0.0.1:8787", broken), NotCarriedOut);
});
