/**
 * The schema `daybook`, next to those of the chains: API keys and descriptions of contracts.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "../StoreError.ts"
import * as Migrations from "./Migrations.ts"
import type { Pools } from "./Pool.ts"

const name = "daybook"

/** Wallets and positions from webhook contents: a position has the texts of journal, first block, next block and highest block + 1. */
const walletsOfContents = (
  own: string,
) => `INSERT INTO ${own}.webhook_wallet (webhook, wallet, journal, next, start, highest)
  SELECT name, wallet, coalesce(parts[2], ''), coalesce(parts[4]::int8, 0), coalesce(parts[3]::int8, 0), coalesce(parts[5]::int8, 0) - 1
  FROM (SELECT name, wallet, string_to_array(content::json -> 'positions' ->> wallet, '.') AS parts
    FROM ${own}.webhook, json_array_elements_text(content::json -> 'addresses') AS wallet) AS given
  ON CONFLICT DO NOTHING`

const schema: Migrations.Schema = {
  holds: "the API keys",
  firstVersion: 3,
  steps: [
    (own) => [
      `CREATE TABLE ${own}.api_key (
         name text COLLATE "C" PRIMARY KEY,
         hash bytea NOT NULL UNIQUE,
         operator bool NOT NULL,
         empty text,
         created timestamptz NOT NULL DEFAULT now(),
         options text,
         expires int8,
         last_used int8,
         previous bytea,
         previous_until int8
       )`,
      `CREATE INDEX api_key_previous ON ${own}.api_key (previous) WHERE previous IS NOT NULL`,
      `CREATE TABLE ${own}.contract (
         chain int8 NOT NULL,
         key text COLLATE "C" NOT NULL,
         name text NOT NULL,
         source text NOT NULL,
         abi text NOT NULL,
         implementations text NOT NULL,
         PRIMARY KEY (chain, key)
       )`,
      `CREATE TABLE ${own}.contract_revision (chain int8 PRIMARY KEY, revision int4 NOT NULL)`,
    ],
    (own) => [
      `CREATE TABLE ${own}.webhook (
         name text COLLATE "C" PRIMARY KEY,
         content text NOT NULL,
         revision int8 NOT NULL,
         owner text,
         until timestamptz
       )`,
    ],
    (own) => [
      `ALTER TABLE ${own}.webhook ADD COLUMN holder text COLLATE "C"`,
      `ALTER TABLE ${own}.webhook ADD COLUMN state text NOT NULL DEFAULT 'active'`,
    ],
    (own) => [`CREATE INDEX webhook_holder ON ${own}.webhook (holder, name)`],
    (own) => [
      `CREATE TABLE ${own}.webhook_wallet (
         webhook text COLLATE "C" NOT NULL,
         wallet text COLLATE "C" NOT NULL,
         journal text,
         next int8 NOT NULL,
         start int8 NOT NULL,
         highest int8 NOT NULL,
         PRIMARY KEY (webhook, wallet)
       )`,
      `CREATE INDEX webhook_wallet_look ON ${own}.webhook_wallet (wallet, webhook)`,
      `CREATE INDEX webhook_wallet_own ON ${own}.webhook_wallet (webhook, wallet) WHERE journal IS NOT NULL`,
      `CREATE INDEX webhook_wallet_sent ON ${own}.webhook_wallet (webhook, highest) WHERE journal IS NULL AND highest >= 0`,
      walletsOfContents(own),
      `ALTER TABLE ${own}.webhook ADD COLUMN wallets int8 NOT NULL DEFAULT 0`,
      `UPDATE ${own}.webhook SET wallets = (SELECT count(*) FROM ${own}.webhook_wallet WHERE webhook = name)`,
    ],
  ],
}

/** Schema `daybook` of a database. */
export interface OwnSchema {
  /** Creates or migrates it, once. */
  readonly made: Effect.Effect<void, StoreError>
  readonly exists: Effect.Effect<boolean, StoreError>
}

/** Makes the schema `daybook` of a database. */
export const make = (pools: Pools): OwnSchema => {
  let isMade = false
  return {
    exists: Migrations.exists(pools, name, schema),
    made: Effect.suspend(() =>
      isMade
        ? Effect.void
        : Effect.tap(Migrations.migrate(pools, name, schema), () =>
            Effect.sync(() => {
              isMade = true
            }),
          ),
    ),
  }
}
