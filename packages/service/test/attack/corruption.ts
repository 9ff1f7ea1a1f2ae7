/** Corruption: bytes of a database file are changed at random, and every row that is still served must equal the stored row. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { projection } from "../../src/projection/WalletTransactions.ts"
import type { PageRow } from "../../src/store/ChainReader.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Rows from "../server/rows.ts"
import * as Client from "./Client.ts"
import * as LargeRows from "./LargeRows.ts"
import type { Scenario } from "./Scenario.ts"

type Pages = ReadonlyArray<ReadonlyArray<PageRow>>

/** The rows of every wallet. */
const readAll = async (folder: string): Promise<Pages> => {
  const program = Effect.gen(function* () {
    const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/")
    const { reader } = database.chain({ name: "attack", id: 31_337 })
    return yield* Effect.forEach([...Object.values(LargeRows.wallets), Rows.bob], (key) =>
      Effect.map(
        reader.snapshot((snapshot) =>
          snapshot.page(projection, { key, from: 0, to: 1e9, order: "ASC", after: null, limit: 1_000 }),
        ),
        ({ rows }) => rows,
      ),
    )
  })
  return await Effect.runPromise(Effect.scoped(program))
}

/** Errors in served pages; `null` if each row equals a stored row. */
const wrongIn = (pages: Pages, expected: Pages): string | null => {
  const known = new Set(expected.flat().map((row) => JSON.stringify(row)))
  if (pages.flat().some((row) => !known.has(JSON.stringify(row)))) return "wrong row"
  const isWhole = pages.every((rows, at) => JSON.stringify(rows) === JSON.stringify(expected[at]))
  return isWhole ? null : "missing row"
}

/** A seeded generator of whole numbers below a limit. */
const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Reads the rows of a file in which one byte was changed. */
const flip = async (folder: string, file: string, intact: Buffer, expected: Pages, next: (below: number) => number) => {
  const damaged = Buffer.from(intact)
  const at = next(damaged.length)
  damaged[at] = damaged[at]! ^ (1 + next(255))
  writeFileSync(file, damaged)
  return await readAll(folder).then(
    (pages) => wrongIn(pages, expected) ?? "served as stored",
    () => "refused",
  )
}

/** The attack on a file. */
export const scenario: Scenario = {
  name: "random changes of bytes of the database file",
  bound: "a checksum per row",
  run: async (_, scale) => {
    const base = mkdtempSync(join(tmpdir(), "daybook-flips-"))
    const stored = join(base, "stored")
    try {
      await LargeRows.fill(stored, { count: 12, calldataBytes: 2_000, logs: 5, internalBytes: 2_000 })
      const expected = await readAll(stored)
      const name = readdirSync(stored).find((file) => file.startsWith("chain-") && file.endsWith(".sqlite"))!
      const intact = readFileSync(join(stored, name))
      const next = random(7)
      const outcomes: Array<string> = []
      for (let turn = 0; turn < (scale === "full" ? 1_000 : 20); turn++) {
        const folder = mkdtempSync(join(base, "damaged-"))
        outcomes.push(await flip(folder, join(folder, name), intact, expected, next))
        rmSync(folder, { recursive: true, force: true })
      }
      const wrong = outcomes.filter((outcome) => outcome === "wrong row" || outcome === "missing row")
      return { behaviour: Client.tally(outcomes), faults: wrong.length === 0 ? [] : [Client.tally(wrong)] }
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  },
}
