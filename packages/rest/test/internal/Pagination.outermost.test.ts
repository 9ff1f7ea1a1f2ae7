/** The first block that a query returned, which decides what is read again after a reorg. */
import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { Schema } from "effect"
import * as Pagination from "../../src/internal/Pagination.ts"
import type { Order } from "../../src/internal/RowTracker.ts"
import { walletTransactions } from "../../src/internal/WalletTransactions.ts"
import { noCoverage, row, type Row, wallet } from "../history.ts"

const decode = Schema.decodeUnknownSync(WalletPage.WalletPage)

/** The outermost block after some pages. */
const outermostOf = (order: Order, ...pages: ReadonlyArray<ReadonlyArray<Row>>): bigint | undefined => {
  const config: Pagination.Config<WalletTransaction> = {
    host: "a.test",
    query: {
      operation: "walletTransactions",
      params: { address: wallet },
      parameters: {},
    },
    order,
    maxRows: Number.POSITIVE_INFINITY,
    onStaleCursor: "restart",
    locate: walletTransactions.locate,
  }
  return pages.reduce(
    (state, result, at) =>
      Pagination.onPage(config, state, {
        page: decode({
          cursor: `c${at}`,
          page: 0,
          page_size: 100,
          result,
        }),
        badRows: [],
        indexCoverage: noCoverage,
        headers: {},
        requestId: undefined,
        attempts: [],
      })[0],
    Pagination.initial(Pagination.startOf(config.query, order)),
  ).outermost
}

const noon = { atMillis: 1_700_000_000_000 }

describe("Pagination", () => {
  it("onPage: the outermost block is the lowest of an ascending query and the highest of a descending one", () => {
    expect(outermostOf("ASC", [row(5, 0), row(7, 0)], [row(9, 0)])).toBe(5n)
    expect(outermostOf("DESC", [row(9, 0), row(7, 0)], [row(5, 0)])).toBe(9n)
    expect(outermostOf("ASC", [])).toBeUndefined()
  })

  it("onPage: the outermost block is also found if blocks of one timestamp interleave", () => {
    expect(outermostOf("ASC", [row(8, 0, noon)], [row(7, 0, noon), row(9, 0, noon)])).toBe(7n)
    expect(outermostOf("DESC", [row(7, 0, noon)], [row(8, 0, noon), row(6, 0, noon)])).toBe(8n)
  })
})
