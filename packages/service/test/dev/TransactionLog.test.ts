import type { WalletTransaction } from "@daybook/rest/promise"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as TransactionLog from "../../src/dev/TransactionLog.ts"

const from = `0x${"11".repeat(20)}`

/** Rows of transactions that each created a contract. */
const creations = Array.from({ length: 20 }, (_, at) => {
  const created = `0x${(at + 1).toString(16).padStart(40, "0")}`
  const hash = `0x${(at + 1).toString(16).padStart(64, "0")}`
  const outcome = { receipt_contract_address: created, receipt_status: 1, receipt_gas_used: 21_000n }
  const row = { hash, from_address: from, to_address: null, value: 0n, input: "0x", logs: [], block_number: 7n }
  // Sound: a line is written from these fields alone.
  return { ...row, ...outcome } as unknown as WalletTransaction
})

/** Lets the callbacks of settled promises run. */
const promisesSettled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("TransactionLog", () => {
  it.effect("linesOf: waits once for the names of all contracts created in a block", () =>
    Effect.gen(function* () {
      let lookups = 0
      const names = ({ address }: { readonly address: ReadonlyArray<string> }) => {
        lookups += 1
        return Promise.resolve({ result: { addresses: address.map(() => null), errors: [], functions: [] } })
      }
      const block = { hash: "0x07", transactions: creations.map(({ hash }) => ({ hash, from })) }
      const rest = {
        walletTransactions: () => Promise.resolve({ result: creations }),
        movements: () => Promise.resolve({ result: [] }),
      }
      // Sound: the lines of a block are read with these methods alone.
      const clients = {
        chain: "dev",
        url: "http://127.0.0.1:1",
        symbol: "ETH",
        rest,
        explorer: { names },
        rpc: { eth_getBlockByNumber: () => Promise.resolve(block) },
        hasProject: true,
      } as unknown as Parameters<typeof TransactionLog.linesOf>[0]
      const reading = yield* Effect.forkChild(TransactionLog.linesOf(clients, 7n))
      while (reading.pollUnsafe() === undefined) {
        yield* promisesSettled
        yield* TestClock.adjust("100 millis")
      }

      const [hash, lines] = yield* Fiber.join(reading)
      expect([hash, lines.length]).toEqual(["0x07", creations.length])
      // One for each line, and eight while they wait.
      expect(lookups).toBe(creations.length + 8)
    }),
  )
})
