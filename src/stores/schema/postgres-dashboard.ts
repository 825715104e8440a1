import { inPostgres } from "./in-postgres.ts";
import { sqliteRequests } from "./requests.ts";
import { sqliteDashboard } from "./sqlite-dashboard.ts";
import { sqliteJobs } from "./sqlite-jobs.ts";

/**
 * The tables of the dashboard in PostgreSQL: those of SQLite, and `throttle_kept`.
 *
 * Lock order: the user's row first, then the rows that belong to it (address, sessions, logins, links, events). Changing
 * a user's email keeps this order by itself, because a trigger goes on from `users` to `address`. Deleting an address
 * takes the other direction, so the caller locks the user first; otherwise two of them can deadlock (40P01).
 */
export const postgresDashboard = `${inPostgres(sqliteJobs + sqliteDashboard + sqliteRequests)}
-- Counts of attempts for all nodes together (stores/postgres/throttle.ts). Names are keyed hashes.
CREATE TABLE throttle_kept (
  name text COLLATE "C" PRIMARY KEY,
  state jsonb NOT NULL,
  forget_at bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX throttle_kept_by_end ON throttle_kept (forget_at);
`;
