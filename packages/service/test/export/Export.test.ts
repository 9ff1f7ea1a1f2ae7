import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Wei from "@daybook/schema/Wei"
import * as Export from "../../src/export/Export.ts"
import * as generated from "./generated.ts"

const written = Effect.fnUntraced(function* (format: Export.FormatName) {
  const pieces: Array<string> = []
  const result = yield* Export.write(generated.parts(800), Export.formats[format](), (text) =>
    Effect.sync(() => void pieces.push(text)),
  )
  return { ...result, text: pieces.join(""), pieces: pieces.length }
})

describe("Export", () => {
  it.effect("write: sums up to the balances of every wallet, chain and asset, with what was held before", () =>
    Effect.gen(function* () {
      const { closings, entries, text } = yield* written("ndjson")
      const sums = new Map<string, bigint>()
      for (const line of text.trim().split("\n")) {
        const row = JSON.parse(line)
        const key = `${row.chain_id} ${row.address} ${row.asset}`
        sums.set(key, (sums.get(key) ?? 0n) + BigInt(row.amount))
        expect(Wei.parseUnits(row.amount_in_units, row.decimals)).toBe(BigInt(row.amount))
      }

      expect(entries).toBe(800 + closings.length)
      expect(sums.size).toBe(closings.length)
      expect(new Set(closings.map(({ asset }) => asset.chainId))).toEqual(new Set([1, 8_453, 31_337, 100]))
      for (const { amount, asset, wallet } of closings) {
        expect(sums.get(`${asset.chainId} ${wallet} ${asset.holding.asset}`)).toBe(amount)
      }
    }),
  )

  it.effect("write: opens the account of each wallet on each chain once, and each counter account once", () =>
    Effect.gen(function* () {
      const { text } = yield* written("beancount")
      const opened = text.split("\n").filter((line) => line.includes(" open "))

      expect(new Set(opened).size).toBe(opened.length)
      expect(opened.filter((line) => line.includes(" Assets:Chain")).length).toBe(4 * 3)
      expect(opened.filter((line) => line.endsWith("Expenses:Fees")).length).toBe(1)
    }),
  )

  it.effect("write: declares a commodity once, also where several chains have it", () =>
    Effect.gen(function* () {
      const { text } = yield* written("hledger")
      const declared = text.split("\n").filter((line) => line.startsWith("commodity "))

      expect(new Set(declared).size).toBe(declared.length)
      expect(declared.filter((line) => /"(?:ETH|ETH\.8453|ETH\.31337|XDAI)"$/.test(line)).length).toBe(4)
    }),
  )
})
