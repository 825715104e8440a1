#!/usr/bin/env bash
# Rules of RFC 5545 for renewals and reports in three libraries: each year from 29 February 2024; each month from 31 January, 10:00 in Berlin; each day at 02:30 in Berlin from 28 March 2026, the night before that hour is left out. In a
# process in UTC and in one in Los Angeles.
# Expected: the years 2024, 2028, 2032, the months with a 31st, each as an instant that the zone of the process does not change; and for 29 March 03:30, as section 3.3.5 has it for times that do not exist (00:30 or 01:30 UTC).
# Seen on 2026-11-29: ical.js 2.2.1 takes 1 March 2025 and 2026 after 29 February 2024. rrule 2.8.1 with a TZID is right in a process in UTC and eight hours off in Los Angeles, though it has the zone from the rule.
# rrule-temporal 2.2.8 leaves 29 March out and counts three other days.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts rrule@2.8.1 rrule-temporal@2.2.8 ical.js@2.2.1
cat > seen.mjs <<'JS'
import ICAL from "ical.js";
import rrule from "rrule";
import { RRuleTemporal } from "rrule-temporal";
const libraries = {
  rrule: (rule) => rrule.rrulestr(rule).all().map((date) => date.toISOString()),
  "rrule-temporal": (rule) => new RRuleTemporal({ rruleString: rule }).all().map((time) => time.toInstant().toString()),
  "ical.js": (rule) => {
    const dates = new ICAL.Event(new ICAL.Component(ICAL.parse(`BEGIN:VEVENT\n${rule}\nEND:VEVENT`))).iterator();
    return [dates.next(), dates.next(), dates.next()].map((date) => `${date} (local)`);
  },
};
const rules = {
  yearly: "DTSTART:20240229T100000Z\nRRULE:FREQ=YEARLY;COUNT=3",
  monthly: "DTSTART;TZID=Europe/Berlin:20260131T100000\nRRULE:FREQ=MONTHLY;COUNT=3",
  daily: "DTSTART;TZID=Europe/Berlin:20260328T023000\nRRULE:FREQ=DAILY;COUNT=3",
};
const short = (text) => text.slice(text.startsWith("2026") ? 5 : 0, 16);
for (const [name, dates] of Object.entries(libraries)) console.log(`${process.env.TZ}, ${name}: ${Object.entries(rules).map(([kind, rule]) => `${kind} ${dates(rule).map(short).join(" ")}`).join(", ")}`);
JS
seen=$(for zone in UTC America/Los_Angeles; do TZ=$zone node seen.mjs; done)
echo "$seen"
[ "$seen" = 'UTC, rrule: yearly 2024-02-29T10:00 2028-02-29T10:00 2032-02-29T10:00, monthly 01-31T09:00 03-31T08:00 05-31T08:00, daily 03-28T01:30 03-29T00:30 03-30T00:30
UTC, rrule-temporal: yearly 2024-02-29T10:00 2028-02-29T10:00 2032-02-29T10:00, monthly 01-31T09:00 03-31T08:00 05-31T08:00, daily 03-28T01:30 03-30T00:30 03-31T00:30
UTC, ical.js: yearly 2024-02-29T10:00 2025-03-01T10:00 03-01T10:00, monthly 01-31T10:00 03-31T10:00 05-31T10:00, daily 03-28T02:30 03-29T02:30 03-30T02:30
America/Los_Angeles, rrule: yearly 2024-02-29T10:00 2028-02-29T10:00 2032-02-29T10:00, monthly 01-31T01:00 03-31T01:00 05-31T01:00, daily 03-27T18:30 03-28T17:30 03-29T17:30
America/Los_Angeles, rrule-temporal: yearly 2024-02-29T10:00 2028-02-29T10:00 2032-02-29T10:00, monthly 01-31T09:00 03-31T08:00 05-31T08:00, daily 03-28T01:30 03-30T00:30 03-31T00:30
America/Los_Angeles, ical.js: yearly 2024-02-29T10:00 2025-03-01T10:00 03-01T10:00, monthly 01-31T10:00 03-31T10:00 05-31T10:00, daily 03-28T02:30 03-29T02:30 03-30T02:30' ]
