/** Kills an indexing process repeatedly, and compares its store with the chain each time. */
import { Effect, Redacted } from "effect"
import { Anvil } from "@daybook/chain"
import * as Migrations from "../../src/store/postgres/Migrations.ts"
import * as Pool from "../../src/store/postgres/Pool.ts"
import * as ChainSlug from "../../src/store/rows/ChainSlug.ts"
import * as Campaign from "../campaign/Campaign.ts"
import * as Harness from "./Harness.ts"

const minShare = 0.25
const bucket = 25

const histogram = (print: Campaign.Output["print"], title: string, keys: ReadonlyArray<string>) => {
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
    // The next indexer registers them again, from the first block.
    forgetLedgers: run(`DELETE FROM ${schema}.projection WHERE kind = 'ledger'`),
  }
})

Campaign.main({
  name: "kill",
  about:
    "Kills an indexing process repeatedly and prints the interrupted write. Fails at the first store that differs from the chain, or if too few kills interrupt a transaction.",
  seeds: 1,
  options: {
    kills: [200, "kills per seed"],
    database: [undefined, "URL of a PostgreSQL database, whose schema daybook_my_chain is dropped"],
  },
  plan: ({ database, kills }, _, seeds) =>
    Effect.succeed({
      columns: ["chain", "kills", "between begin and commit of an append or unwind"],
      cases: Campaign.ofSeeds(
        seeds,
        Effect.fnUntraced(function* (seed, { fail, print }) {
          const node = yield* Anvil.make()
          const all = yield* Harness.run(node, {
            kills,
            seed,
            store: database === undefined ? undefined : yield* postgresStore(database),
            onKill: ({ by, phase, seed: killSeed, statements, task }, index) =>
              print(
                `${index + 1}/${kills} seed ${killSeed}: ${task}, killed by ${by} in ${phase} after ${statements} statements; equal`,
              ),
          })
          const hit = Harness.inTransaction(all)
          histogram(
            print,
            "killed while",
            all.map(({ by, phase, task }) => `${task}, ${phase}, by ${by}`),
          )
          histogram(
            print,
            "statements of an append or unwind before the kill",
            hit.map(({ statements }) => {
              const from = Math.floor(statements / bucket) * bucket
              return `${from} to ${from + bucket - 1}`
            }),
          )
          if (hit.length < all.length * minShare) fail("too few kills interrupted a transaction")
          return [all.length, hit.length]
        }),
      ),
    }),
})
