/** Every action of a user, interrupted by the database at each of its steps. */
import { useDashboardStore } from "../dashboard-fixture.ts";
import { postgresStore } from "./store.ts";
import { ACTIONS, testInterruption, withTrouble } from "./trouble.ts";

useDashboardStore(() => postgresStore(withTrouble));
for (const action of Object.keys(ACTIONS))
  for (const kind of ["lost", "away"] as const) testInterruption(action, kind);
