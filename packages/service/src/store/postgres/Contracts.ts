/**
 * Descriptions of contracts in the schema `daybook`.
 */
import * as Effect from "effect/Effect"
import type { ChainRef } from "../ChainRef.ts"
import * as Row from "../Contracts.ts"
import type { Contracts } from "../Contracts.ts"
import type { OwnSchema } from "./OwnSchema.ts"
import type { Pools, Session } from "./Pool.ts"
import * as Values from "./Values.ts"

const select = `SELECT key, name, source, abi, implementations FROM daybook.contract WHERE chain = $1 ORDER BY key`
const selectRevision = `SELECT revision FROM daybook.contract_revision WHERE chain = $1`
const selectUsage = `SELECT count(*)::int4, coalesce(sum(length(abi)), 0)::int8 FROM daybook.contract WHERE chain = $1`
const insert = `INSERT INTO daybook.contract (chain, key, name, source, abi, implementations) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (chain, key) DO UPDATE SET name = excluded.name, source = excluded.source, abi = excluded.abi,
  implementations = excluded.implementations`
const remove = `DELETE FROM daybook.contract WHERE chain = $1 AND key = $2 RETURNING key`
const advance = `INSERT INTO daybook.contract_revision (chain, revision) VALUES ($1, 1)
  ON CONFLICT (chain) DO UPDATE SET revision = contract_revision.revision + 1`

/** Contracts of a database. */
export const make = ({ reading, writing }: Pools, { made }: OwnSchema): Contracts => {
  const write = <A, E>(chain: ChainRef, work: (session: Session) => Effect.Effect<A, E>) =>
    Effect.andThen(
      made,
      // The row of the revision is locked first, so that two writers cannot deadlock.
      writing.transaction((session) => Effect.andThen(session.rows(advance, [Values.big(chain.id)]), work(session))),
    )
  return {
    list: ({ id }) =>
      Effect.andThen(
        made,
        Effect.map(reading.rows<Row.Columns>(select, [Values.big(id)]), (rows) => rows.map(Row.fromColumns)),
      ),
    revision: ({ id }) =>
      Effect.andThen(
        made,
        Effect.map(reading.rows<readonly [number]>(selectRevision, [Values.big(id)]), ([row]) => row?.[0] ?? 0),
      ),
    usage: ({ id }) =>
      Effect.andThen(
        made,
        Effect.map(reading.rows<readonly [number, number]>(selectUsage, [Values.big(id)]), ([row]) => {
          const [contracts, characters] = row!
          return { contracts, characters: Number(characters) }
        }),
      ),
    put: (chain, contracts) =>
      write(chain, (session) =>
        Effect.forEach(
          contracts,
          (contract) => session.rows(insert, [Values.big(chain.id), ...Row.toColumns(contract).map(Values.text)]),
          { discard: true },
        ),
      ),
    remove: (chain, keys) =>
      write(chain, (session) =>
        Effect.filter(keys, (key) =>
          Effect.map(session.rows(remove, [Values.big(chain.id), Values.text(key)]), (rows) => rows.length > 0),
        ),
      ),
  }
}
