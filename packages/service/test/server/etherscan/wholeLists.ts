/** Lists of Etherscan's API without a wallet: transfers of a contract, and internal transactions of a block range. */
import { Effect } from "effect"
import { expect } from "vitest"
import type * as chainScan from "./chainScan.ts"
import type * as indexedService from "./indexedService.ts"

type Row = indexedService.Row

/** Fields of a row that a scanned row has. */
export const pick = (row: Row, like: Row): Row =>
  Object.fromEntries(Object.keys(like).map((key) => [key, row[key] ?? "absent"]))

const rowsOfPage = 7

/** Compares a list in both orders, and its pages, with the rows of a scan. */
const compare = Effect.fnUntraced(function* (
  { get }: Pick<indexedService.Indexed, "get">,
  query: string,
  expected: ReadonlyArray<Row>,
) {
  const read = (more: string) =>
    Effect.map(get(`module=account&${query}${more}`), ({ result }): ReadonlyArray<Row> =>
      result.map((row: Row) => pick(row, expected[0]!)),
    )
  expect([query, yield* read("")]).toEqual([query, expected])
  expect([query, yield* read("&sort=desc")]).toEqual([query, expected.toReversed()])
  const listedRows: Array<Row> = []
  for (let page = 1; listedRows.length < expected.length; page++)
    listedRows.push(...(yield* read(`&page=${page}&offset=${rowsOfPage}`)))
  expect([query, listedRows]).toEqual([query, expected])
})

/** Compares all such lists with a scan of the node up to a block; returns the number of compared rows. */
export const compareAll = Effect.fnUntraced(function* (
  service: Pick<indexedService.Indexed, "get">,
  { all }: Pick<Effect.Success<ReturnType<typeof chainScan.scan>>, "all">,
  last: number,
) {
  let compared = 0
  for (const action of ["tokentx", "tokennfttx", "token1155tx"] as const) {
    const rows = all(action)
    for (const contract of new Set(rows.map((row) => row["contractAddress"]!))) {
      const expected = rows.filter((row) => row["contractAddress"] === contract)
      yield* compare(service, `action=${action}&contractaddress=${contract}`, expected)
      compared += expected.length
    }
  }
  const internal = all("txlistinternal")
  const half = Math.floor(last / 2)
  yield* compare(service, `action=txlistinternal&startblock=0&endblock=${last}`, internal)
  const upper = internal.filter((row) => Number(row["blockNumber"]) >= half)
  yield* compare(service, `action=txlistinternal&startblock=${half}&endblock=99999999`, upper)
  return compared + internal.length + upper.length
})
