/** The tables of the request log in PostgreSQL: those of sqlite-requests.ts. */
export const postgresRequests = `
CREATE TABLE request_chunk (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  count integer NOT NULL,
  errors integer NOT NULL,
  packed text COLLATE "C" NOT NULL
);
CREATE INDEX request_chunk_by_account ON request_chunk (account, no, count);
-- Errors are rare, and every visit to the home page asks for the last ones.
CREATE INDEX request_chunk_errors ON request_chunk (account, no) WHERE errors > 0;

CREATE TABLE request_hour (
  account text COLLATE "C" NOT NULL,
  hour bigint NOT NULL,
  tool text COLLATE "C" NOT NULL,
  requests bigint NOT NULL,
  errors bigint NOT NULL,
  PRIMARY KEY (account, hour, tool)
);
CREATE INDEX request_hour_by_hour ON request_hour (hour);

CREATE TABLE request_forgotten (
  account text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL
);
`;
