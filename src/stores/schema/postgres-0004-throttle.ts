/** How often what was tried on all nodes together (postgres-throttle.ts). Names are keyed hashes. */
export const postgres0004Throttle = `
CREATE TABLE throttle_kept (
  name text COLLATE "C" PRIMARY KEY,
  state jsonb NOT NULL,
  forget_at bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX throttle_kept_by_end ON throttle_kept (forget_at);
`;
