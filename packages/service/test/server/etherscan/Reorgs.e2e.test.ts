/**
 * Lists while the chain reorganizes, and on PostgreSQL: each equals a scan of the node. Both use the database of
 * DAYBOOK_TEST_POSTGRES, if given, which may belong to a coordinator of Citus.
 */
import { Head } from "@daybook/chain"
import * as Runs from "@daybook/harness/Runs"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as EmbeddedServer from "../../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../../store/postgres/TestServer.ts"
import * as chainScan from "./chainScan.ts"
import * as indexedService from "./indexedService.ts"
import * as wholeLists from "./wholeLists.ts"

type Row = indexedService.Row

const given = process.env["DAYBOOK_TEST_POSTGRES"]
let url = given ?? ""
let embedded: EmbeddedServer.EmbeddedServer | undefined

beforeAll(async () => {
  if (given !== undefined) return
  embedded = await EmbeddedServer.start()
  url = embedded.url
})

afterAll(async () => {
  await TestServer.removeAll(url)
  await embedded?.stop()
})

/** Rows with the fields that the scan has, as text. */
const textOf = (rows: ReadonlyArray<Row>, like: Row | undefined): string =>
  JSON.stringify(rows.map((row) => Object.keys(like ?? {}).map((key) => [key, row[key] ?? "absent"])))

const isListed = (action: chainScan.Action, address: string): boolean =>
  !(action.startsWith("token") && address === chainScan.zeroAddress)

/** Compares every list of every address with a scan; returns the number of compared rows. */
const compareAll = Effect.fnUntraced(function* (
  { list }: indexedService.Indexed,
  { addresses, rows }: Effect.Success<ReturnType<typeof chainScan.scan>>,
) {
  let compared = 0
  for (const action of chainScan.actions) {
    for (const address of addresses.filter((one) => isListed(action, one))) {
      const expected = rows(action, address)
      const found = yield* list(action, address)
      const ascending = action === "getminedblocks" ? found.toReversed() : found
      const [one] = expected
      expect([action, address, ascending.length]).toEqual([action, address, expected.length])
      expect([action, address, textOf(ascending, one)]).toEqual([action, address, textOf(expected, one)])
      compared += expected.length
    }
  }
  return compared
})

/** True for the rows of a scan up to a block. */
const isUpToBlock = (rows: ReadonlyArray<Row>, expected: ReadonlyArray<Row>): boolean => {
  const [one] = expected
  const [last, next] = [expected[rows.length - 1], expected[rows.length]]
  const isBetweenBlocks = next === undefined || last?.["blockNumber"] !== next["blockNumber"]
  return isBetweenBlocks && textOf(rows, one) === textOf(expected.slice(0, rows.length), one)
}

/** The response to a request while blocks are replaced: rows, or that the index is behind. */
const isDelay = (result: unknown): boolean =>
  typeof result === "string" && /^(Not indexed: |Free API access is temporarily unavailable)/.test(result)

describe("Etherscan's API", () => {
  it.live(
    "lists that are read during reorgs follow one chain up to a block, and are complete once the index has caught up",
    () =>
      Effect.gen(function* () {
        const service = yield* indexedService.follow(
          given === undefined ? {} : { database: yield* TestServer.blank(given) },
        )
        const { chain, get, indexer } = service
        const { alice } = chain.world.accounts
        let before = service.scan
        for (const depth of Runs.usualPart >= 1 ? [14, 9, 18] : [14, 18]) {
          const reading = Effect.forEach(
            Array.from({ length: 40 }, (_, at) => (["txlist", "tokentx", "txlistinternal"] as const)[at % 3]!),
            (action) =>
              Effect.map(
                get(`module=account&action=${action}&address=${alice}&sort=asc`),
                ({ result }) => [action, result] as const,
              ),
            { concurrency: 2 },
          )
          const [answers] = yield* Effect.all(
            [
              reading,
              Effect.andThen(
                Head.reorganise(chain.node, { depth, moreBlocks: 1 }),
                indexer.until(({ _tag }) => _tag === "Reorged"),
              ),
            ],
            { concurrency: 2 },
          )
          const { number } = yield* Head.current(chain.node)
          yield* indexer.until((event) => event._tag === "Synced" && event.head === number)
          const after = yield* chainScan.scan({ url: chain.url }, number)

          const mixed = answers.filter(
            ([action, result]) =>
              !isDelay(result) && ![before, after].some((scan) => isUpToBlock(result, scan.rows(action, alice))),
          )
          expect(mixed).toEqual([])
          expect(yield* compareAll(service, after)).toBeGreaterThan(20)
          expect(yield* wholeLists.compareAll(service, after, number)).toBeGreaterThan(0)
          before = after
        }
      }).pipe(Effect.scoped),
  )

  it.live("lists of every address equal a scan of the node on PostgreSQL", () =>
    Effect.gen(function* () {
      const service = yield* indexedService.follow({ database: yield* TestServer.blank(url) })

      expect(yield* compareAll(service, service.scan)).toBeGreaterThan(300)
      expect(yield* wholeLists.compareAll(service, service.scan, service.chain.last)).toBeGreaterThan(20)
    }).pipe(Effect.scoped),
  )
})
