/** Flags of token transfers. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Snapshot } from "../../src/store/ChainReader.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as TransferFlags from "../../src/query/TransferFlags.ts"

const wallet = `0x${"9".repeat(40)}`
const token = `0x${"7".repeat(40)}`
const paid = `0xabcd${"1".repeat(32)}ef01`
const lookalike = `0xabcd${"2".repeat(32)}ef01`
const stranger = `0x${"5".repeat(40)}`

/** A ledger in which the first entry of the wallet pays an account. */
const payment = { counterparty: paid, amount: -1n, asset: "native", kind: "value" }
const place = { block: 1, index: 0, roles: Role.bits.sender, movements: [payment] }
// Sound: nothing else is read.
const snapshot = { ledger: () => Effect.succeed({ hasMore: false, rows: [place] }) } as unknown as Snapshot

type Row = Parameters<typeof TransferFlags.make>[3][number]

const rowOf = (from: string, to: string, amount: bigint, roles?: number) =>
  // Sound: nothing else of a row is read.
  ({ document: { row: { block: 2, index: 0, roles } }, part: { from, to, amount, token } }) as unknown as Row

const flagsOf = (row: Row, name: string, symbol: string) =>
  Effect.gen(function* () {
    // Sound: nothing else of a token is read.
    const tokens = new Map([[token, { name, symbol } as never]])
    return (yield* TransferFlags.make(snapshot, 1, wallet, [row], tokens))(row)
  })

describe("TransferFlags", () => {
  it.effect.each([
    ["nothing from a stranger", rowOf(stranger, wallet, 0n), ["poisoning"]],
    ["nothing to a stranger", rowOf(wallet, stranger, 0n, Role.bits.token_sender), ["poisoning"]],
    ["nothing that the wallet sent itself", rowOf(wallet, lookalike, 0n, Role.bits.sender), []],
    ["something from a stranger", rowOf(stranger, wallet, 1n), []],
    ["something from a lookalike", rowOf(lookalike, wallet, 1n), ["poisoning"]],
    ["something to a lookalike by another account", rowOf(wallet, lookalike, 1n), ["poisoning"]],
    ["something to a lookalike by the wallet itself", rowOf(wallet, lookalike, 1n, Role.bits.sender), []],
    ["something from an account that the wallet paid", rowOf(paid, wallet, 1n), []],
  ] as const)("make: flags %s", ([, row, flags]) =>
    Effect.gen(function* () {
      expect(yield* flagsOf(row, "Own", "OWN")).toEqual(flags)
    }),
  )

  it.effect.each([
    ["nothing that its sender moved", paid, rowOf(paid, stranger, 0n), []],
    ["nothing of an account that did not send it", stranger, rowOf(paid, wallet, 0n), ["poisoning"]],
    ["something from a lookalike, which is meant for a wallet", stranger, rowOf(lookalike, wallet, 1n), []],
  ] as const)("make: flags in the list of a contract %s", ([, sender, { document, part }, flags]) =>
    Effect.gen(function* () {
      // Sound: nothing else of a transaction is read.
      const row = { document: { ...document, transaction: { from_address: sender } }, part } as unknown as Row
      const flagsIn = yield* TransferFlags.make(snapshot, 1, undefined, [row], new Map())

      expect(flagsIn(row)).toEqual(flags)
    }),
  )

  it.effect("make: flags the texts of a token only if the wallet receives it", () =>
    Effect.gen(function* () {
      const [incoming, outgoing] = [rowOf(stranger, wallet, 1n), rowOf(wallet, stranger, 1n)]
      const unread = yield* TransferFlags.make(snapshot, 1, wallet, [incoming], new Map())

      expect(yield* flagsOf(incoming, "USD Coin", "USDC")).toEqual(["fake_symbol"])
      expect(yield* flagsOf(incoming, "Claim at usd-gift.com", "GIFT")).toEqual(["link"])
      expect(yield* flagsOf(outgoing, "Claim at usd-gift.com", "GIFT")).toEqual([])
      expect(unread(incoming)).toEqual([])
    }),
  )
})
