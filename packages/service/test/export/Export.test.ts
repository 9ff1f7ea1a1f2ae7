import { describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import * as Wei from "@daybook/schema/Wei"
import * as Export from "../../src/export/Export.ts"
import * as ExportEntry from "../../src/export/ExportEntry.ts"
import * as generated from "./generated.ts"

const written = Effect.fnUntraced(function* (format: Export.FormatName) {
  const pieces: Array<string> = []
  const result = yield* Export.write(generated.parts(800), Export.formats[format](), (text) =>
    Effect.sync(() => void pieces.push(text)),
  )
  return { ...result, text: pieces.join(""), pieces: pieces.length }
})

describe("Export", () => {
  it.effect("write: entries add up to the balances of every wallet, chain and asset, including opening balances", () =>
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

  it.effect("write: declares a commodity once, even if several chains have it", () =>
    Effect.gen(function* () {
      const { text } = yield* written("hledger")
      const declared = text.split("\n").filter((line) => line.startsWith("commodity "))

      expect(new Set(declared).size).toBe(declared.length)
      expect(declared.filter((line) => /"(?:ETH|ETH\.8453|ETH\.31337|XDAI)"$/.test(line)).length).toBe(4)
    }),
  )

  it.effect("write: orders the wallets of a transaction by address, and joins a transfer from one to another", () =>
    Effect.gen(function* () {
      const [alice, bob, other] = ["a1", "b2", "c3"].map((digits) => `0x${digits.repeat(20)}`) as [
        string,
        string,
        string,
      ]
      const row = (
        wallet: string,
        index: number | null,
        ...moved: ReadonlyArray<readonly [bigint, string | null]>
      ) => ({
        wallet,
        index,
        transactionHash: index === null ? null : `0x${"7a".repeat(32)}`,
        roles: 1,
        movements: moved.map(([amount, counterparty]) => ({
          wallet,
          amount,
          counterparty,
          asset: "native",
          tokenId: null,
          kind: "value" as const,
          logIndex: null,
          isFailed: false,
        })),
      })
      const rows = [
        row(bob, null, [9n, null]),
        row(bob, 1, [5n, alice], [5n, alice], [7n, other]),
        row(alice, 1, [-5n, bob], [-5n, bob], [-6n, bob], [-1n, alice], [1n, alice]),
        row(alice, 0, [3n, other]),
      ]
      const [part] = generated.parts(1)
      const block = { number: 7, hash: `0x${"b7".repeat(32)}`, timestamp: 17e8 }
      const entriesOf = (own: typeof rows) => {
        const source = {
          ...part!.source,
          wallets: [alice, bob],
          label: (address: string) => (address === other ? "Other" : null),
          blocks: Stream.make({ ...block, rows: own, hasGaps: false }),
        }
        return Effect.map(Stream.runCollect(ExportEntry.stream(source).entries), (entries) =>
          entries
            .filter(({ movement }) => movement.kind !== "genesis")
            .map(({ counterpartyLabel, movement, own: mark, transactionIndex }) => [
              transactionIndex,
              movement.wallet,
              movement.amount,
              mark,
              counterpartyLabel,
            ]),
        )
      }
      const expected = [
        [0, alice, 3n, null, "Other"],
        [1, alice, -5n, "sent", null],
        [1, bob, 5n, "received", null],
        [1, alice, -5n, "sent", null],
        [1, bob, 5n, "received", null],
        [1, alice, -6n, null, null],
        [1, alice, -1n, "sent", null],
        [1, alice, 1n, "received", null],
        [1, bob, 7n, null, "Other"],
        [null, bob, 9n, null, null],
      ]

      expect(yield* entriesOf(rows)).toEqual(expected)
      expect(yield* entriesOf(rows.toReversed())).toEqual(expected)
    }),
  )
})
