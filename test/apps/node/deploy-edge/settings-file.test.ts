import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { readWorkerSettings } from "#apps/edge/settings.ts";
import {
  checkSettings,
  readSettingsFile,
  saveSettings,
  settingsOfWorkers,
} from "#apps/node/deploy-edge/settings-file.ts";
import { API_WORKER_SETTING_NAMES, SETTING_NAMES } from "#config/setting-names.ts";

const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-settings-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "made", "edge.json");

function write(text: string, mode = 0o600): string {
  const written = path.join(folder, "written.json");
  writeFileSync(written, text);
  chmodSync(written, mode);
  return written;
}

test("saving keeps other entries and makes a private file", () => {
  assert.equal(readSettingsFile(file), null);
  saveSettings(file, { SECRET: "one" });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
  writeFileSync(file, '{ "RATE_LIMIT": 5, "SECRET": "one" }');
  const { ino } = statSync(file);
  saveSettings(file, { SECRET: "one" });
  assert.equal(statSync(file).ino, ino, "what is there already is not written again");
  saveSettings(file, { SECRET: "two" });
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { RATE_LIMIT: 5, SECRET: "two" });
});

test("values are texts, numbers, null, and JSON for the price list", () => {
  const given = '{"RATE_LIMIT":5,"SECRET":"$a","MAIL_FROM":null,"TOOLBOOTH_PRICES":{"packs":[]}}';
  assert.deepEqual(readSettingsFile(write(given)), {
    RATE_LIMIT: "5",
    SECRET: "$a",
    MAIL_FROM: null,
    TOOLBOOTH_PRICES: '{"packs":[]}',
  });
});

test("files that are not private, not JSON or have other contents are rejected", () => {
  assert.throws(() => readSettingsFile(write("{}", 0o604)), /chmod 600/);
  assert.throws(() => readSettingsFile(write("SECRET=x")), /is not JSON/);
  assert.throws(() => readSettingsFile(write("[]")), /does not contain a JSON object/);
  assert.throws(() => readSettingsFile(write('{"SECRETS":"x"}')), /unknown settings: SECRETS/);
  assert.throws(() => readSettingsFile(write('{"SECRET":{}}')), /SECRET must be a text/);
  assert.throws(() => readSettingsFile(folder), /is not a file/);
});

test("each Worker gets its settings, and neither those of servers and clients", () => {
  const { api, site } = settingsOfWorkers({
    SECRET: "s",
    RATE_LIMIT: null,
    MAIL_FROM: "m",
    MAIL_API_TOKEN: "",
    PORT: "1",
    TOOLBOOTH_KEY: "tb_x",
  });
  assert.deepEqual(api, { SECRET: "s", RATE_LIMIT: null });
  assert.deepEqual(site, { SECRET: "s", RATE_LIMIT: null, MAIL_FROM: "m" });
});

test("the API Worker gets exactly the settings that it reads", () => {
  const good = { SECRET: "at least sixteen characters", PUBLIC_URL: "https://tools.example.com" };
  const read = SETTING_NAMES.filter((name) => {
    try {
      readWorkerSettings({ ...good, [name]: "no good" });
      return false;
    } catch {
      return true;
    }
  });
  assert.deepEqual(read.toSorted(), API_WORKER_SETTING_NAMES.toSorted());
});

test("the check reports all that the Workers would reject, unless it is deployed", () => {
  const texts = { PUBLIC_URL: "https://tools.example.com", RATE_LIMIT: "fast" };
  const check = (deployed: string[]) => () => checkSettings(texts, new Set(deployed), "edge.json");
  assert.throws(check([]), /RATE_LIMIT.*\n {2}- SECRET must be set\.$/);
  const rest = { ...texts, RATE_LIMIT: "5", SECRET: "at least sixteen characters" };
  assert.throws(
    () => checkSettings(rest, new Set(), "edge.json"),
    /MAIL_API_TOKEN and MAIL_FROM must be set/,
  );
  const less = { ...texts, RATE_LIMIT: "5" };
  checkSettings(less, new Set(["SECRET", "MAIL_API_TOKEN", "MAIL_FROM"]), "edge.json");
});
