import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as ExportEntry from "../../src/export/ExportEntry.ts"
import * as Ndjson from "../../src/export/Ndjson.ts"
import type { WalletRow } from "../../src/ledger/DiscoveredBlock.ts"
import * as Movement from "../../src/ledger/Movement.ts"
import * as Role from "../../src/ledger/Role.ts"

const wallet = `0x${"a".repeat(40)}`
const paid = `0xabcd${"1".repeat(32)}ef01`
const lookalike = `0xabcd${"2".repeat(32)}ef01`
const token = `0x${"5".repeat(40)}`

const row = (roles: number, counterparty: string, asset: string, amount: bigint): WalletRow => ({
  wallet,
  transactionHash: `0x${"7".repeat(64)}`,
  index: 0,
  roles,
  movements: [
    {
      wallet,
      counterparty,
      asset,
      tokenId: null,
      amount,
      kind: asset === Movement.native ? "value" : "erc20",
      logIndex: null,
      isFailed: false,
    },
  ],
})

const { sender, token_recipient: recipient } = Role.bits

const rows = [
  row(recipient, lookalike, Movement.native, 4n),
  row(sender, paid, Movement.native, -3n),
  row(recipient, lookalike, token, 2n),
  row(recipient, paid, Movement.native, 1n),
]

const source: ExportEntry.Source<never> = {
  chainId: 1,
  wallets: [wallet],
  label: () => null,
  blocks: Stream.fromIterable(
    rows.map((one, number) => ({
      number: number + 1,
      hash: `0x${number}`,
      timestamp: 17e8,
      rows: [one],
      hasGaps: false,
    })),
  ),
  opening: { number: 0, hash: "0x0", timestamp: 17e8 },
  describe: (holdings) =>
    Effect.succeed(holdings.map((holding) => ({ chainId: 1, holding, symbol: "USDC", decimals: 6 }))),
  openings: (_, holdings) => Effect.succeed(holdings.map(() => 0n)),
}

describe("ExportEntry", () => {
  it.effect("stream: contains each movement once and in order, with flags that depend on previous exports", () =>
    Effect.gen(function* () {
      const entries = yield* Stream.runCollect(ExportEntry.stream(source).entries)
      const lines = entries.map((entry) => JSON.parse(Ndjson.make().entry(entry)) as Record<string, unknown>)

      expect(entries.map(({ flags, movement }) => [movement.amount, flags])).toEqual([
        [4n, []],
        [-3n, []],
        [2n, ["poisoning", "fake_symbol"]],
        [1n, []],
      ])
      expect(lines.map(({ flags }) => flags)).toEqual(entries.map(({ flags }) => flags))
    }),
  )
})
