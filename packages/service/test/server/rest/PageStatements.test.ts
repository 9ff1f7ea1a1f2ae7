import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Role from "../../../src/ledger/Role.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"
import { ranBy } from "../../store/sqlite/statements.ts"
import { chainOf, type Ledger, token } from "./ledgers.ts"

/** Ten blocks of three transactions, each with a movement. */
const ledgers: Readonly<Record<number, Ledger>> = Object.fromEntries(
  Array.from({ length: 10 }, (_, block) => [
    block + 1,
    { 0: [{ kind: "erc20", asset: token, amount: 1n }], 1: [{ amount: 2n }], 2: [{ amount: -3n }] },
  ]),
)

/** Statements that the service runs every second, whatever is requested. */
const background = "contract_revision"

/** The tables that each statement of a page reads first; a statement without one is named by itself. */
const tablesOf = (statements: ReadonlyArray<string>): ReadonlyArray<string> =>
  statements
    .map((sql) => /\bFROM (?!json_each|\()(\w+)|CROSS JOIN (\w+)/.exec(sql)?.slice(1).find(Boolean) ?? sql)
    .filter((table) => table !== background)

const opening = ["api_key", "BEGIN", "gap_count"]
const transactions = ["key_range", "history", "history_copy"]
const ledger = ["key_range", "ledger", "history_copy"]

describe("statements of a page", () => {
  it.live("a page and the next one run as many statements, however many rows they have", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 12) } })
      const read = Effect.fnUntraced(function* (operation: string, query: string) {
        const path = `/api/v2.2/${Rows.alice}/${operation}?limit=25${query}`
        // The first use of a key is recorded.
        yield* service.get(path)
        const [first, ofFirst] = yield* ranBy(service.get(path))
        const [next, ofNext] = yield* ranBy(service.get(`${path}&cursor=${first.json.cursor}`))
        expect([first.json.result.length, next.json.result.length]).toEqual([25, 5])
        return { first: tablesOf(ofFirst), next: tablesOf(ofNext) }
      })

      expect(yield* read("verbose", "")).toEqual({
        first: [...opening, ...transactions, "block", "COMMIT"],
        next: [...opening, "block", ...transactions, "COMMIT"],
      })
      expect(yield* read("verbose", "&scope=all")).toEqual({
        first: [...opening, ...ledger, "document", "block", "COMMIT"],
        next: [...opening, "block", ...ledger, "document", "COMMIT"],
      })
      // The last page may end with opening balances.
      expect(yield* read("movements", "")).toEqual({
        first: [...opening, ...ledger, "block", "document", "token", "COMMIT"],
        next: [...opening, "block", ...ledger, "opening", "block", "document", "token", "COMMIT"],
      })
    }).pipe(Effect.scoped),
  )

  it.live("a page reads the ledger of a wallet once, even if others have paid, unless its range begins later", () =>
    Effect.gen(function* () {
      const chain = chainOf(ledgers, 12, [], "a", Role.bits.recipient)
      const service = yield* start({ chains: { eth: chain } })
      const read = Effect.fnUntraced(function* (query: string) {
        const path = `/api/v2.2/${Rows.alice}/movements?${query}`
        // The first use of a key is recorded.
        yield* service.get(path)
        const [page, statements] = yield* ranBy(service.get(path))
        return [page.json.result.length, tablesOf(statements).filter((table) => table === "ledger").length]
      })

      expect(yield* read("limit=100")).toEqual([30, 1])
      expect(yield* read("limit=25")).toEqual([25, 1])
      expect(yield* read("limit=100&from_block=2")).toEqual([27, 2])
    }).pipe(Effect.scoped),
  )
})
