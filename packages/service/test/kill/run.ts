/**
 * Kills an indexing process 200 times and prints what it was doing each time. `node test/kill/run.ts [kills] [seed] [database]`; ends
 * with code 1 at the first store that is not equal to the chain, or when too few kills hit a transaction. `database` is the URL of a
 * PostgreSQL database, whose schema `daybook_my_chain` is dropped; without it the store is one of SQLite.
 */
import { Effect, Redacted } from "effect"
import { Anvil } from "@daybook/chain"
import * as Migrations from "../../src/store/postgres/Migrations.ts"
import * as Pool from "../../src/store/postgres/Pool.ts"
import * as ChainSlug from "../../src/store/rows/ChainSlug.ts"
import * as Harness from "./Harness.ts"

const [kills = 200, seed = 1] = process.argv.slice(2, 4).map(Number)
const [, , , , database] = process.argv
const leastShare = 0.25
const bucket = 25

const print = (line: string) => void process.stdout.write(`${line}\n`)

const histogram = (title: string, keys: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  print(title)
  for (const [key, count] of [...counts].toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))) {
    print(`  ${key.padEnd(28)} ${String(count).padStart(4)} ${"#".repeat(count)}`)
  }
}

/** A chain in a PostgreSQL database. */
const postgresStore = Effect.fnUntraced(function* (url: string) {
  const { writing } = yield* Pool.make("database", Redacted.make(url))
  const schema = Migrations.quoted(`daybook_${ChainSlug.make(Harness.chain, "_")}`)
  const run = (sql: string) => Effect.orDie(Effect.asVoid(writing.rows(sql, [])))
  return {
    url,
    clear: run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
    // The next indexer registers them again, and begins with the first block.
    forgetLedgers: run(`DELETE FROM ${schema}.projection WHERE kind = 'ledger'`),
  }
})

const program = Effect.gen(function* () {
  const startedAt = performance.now()
  const node = yield* Anvil.make()
  const all = yield* Harness.run(node, {
    kills,
    seed,
    ...(database === undefined ? {} : { store: yield* postgresStore(database) }),
    onKill: ({ by, phase, seed: own, statements, task }, index) =>
      print(
        `${index + 1}/${kills} seed ${own}: ${task}, killed by ${by} in ${phase} after ${statements} statements; equal`,
      ),
  })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  const hit = Harness.inTransaction(all)
  histogram(
    "killed while",
    all.map(({ by, phase, task }) => `${task}, ${phase}, by ${by}`),
  )
  histogram(
    "statements of an append or unwind before the kill",
    all
      .filter(({ phase }) => phase === "append" || phase === "unwind")
      .map(({ statements }) => {
        const from = Math.floor(statements / bucket) * bucket
        return `${from} to ${from + bucket - 1}`
      }),
  )
  print(
    `${all.length} kills, seed ${seed}, ${hit} between begin and commit of an append or unwind, all equal, ${seconds} s`,
  )
  if (hit < all.length * leastShare) process.exitCode = 1
})

await Effect.runPromise(Effect.scoped(program)).catch((cause: unknown) => {
  print(String(cause))
  process.exitCode = 1
})
process.exit()
