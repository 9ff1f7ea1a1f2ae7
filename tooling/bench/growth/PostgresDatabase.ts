/** The PostgreSQL database of a benchmark. */
import { Effect, Redacted } from "effect"
import * as Pool from "../../../packages/service/src/store/postgres/Pool.ts"

/** Rows of a statement on a separate connection. */
export const statement = (url: string, sql: string) =>
  Effect.scoped(
    Effect.flatMap(Pool.make("database", Redacted.make(url)), ({ writing }) =>
      writing.rows<readonly [number, number]>(sql, []),
    ),
  )

/** Schemas of the service, and of Ponder. */
const schemas = "daybook_bench, daybook, bench, ponder_sync"

/** Drops the schemas of earlier runs. */
export const clear = (url: string) => statement(url, `DROP SCHEMA IF EXISTS ${schemas} CASCADE`)

const sizes = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('daybook_bench', 'bench', 'ponder_sync') AND c.relkind = 'r'`

/** Bytes of the tables and indexes of the chain. */
export const bytes = (url: string) => Effect.map(statement(url, sizes), ([row]) => row![0])

const sizesOfNodes = `SELECT coalesce(sum(CASE WHEN p.logicalrelid IS NULL THEN pg_total_relation_size(c.oid)
    ELSE citus_total_relation_size(c.oid) END), 0)::int8
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
  WHERE n.nspname = 'daybook_bench' AND c.relkind = 'r'`

/** Size of the tables and indexes if they are on Citus nodes, in bytes. */
export const bytesOfNodes = (url: string) => Effect.map(statement(url, sizesOfNodes), ([row]) => row![0])
