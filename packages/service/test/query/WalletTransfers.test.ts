/** Token transfers of a wallet, beside others of the same transactions. */
import { describe, it } from "@effect/vitest"
import { etherLogger } from "@daybook/schema/TokenTransfer"
import { Effect } from "effect"
import { expect } from "vitest"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as TokenLogs from "../../src/ledger/TokenLogs.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WalletTransfers from "../../src/query/WalletTransfers.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

const [transferTopic, aliceTopic, bobTopic] = Rows.transferTopics as [string, string, string]
const strangerTopic = `0x${Rows.stranger.slice(2).padStart(64, "0")}`
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`
const logOf = (from: string, to: string, amount: number, address = Rows.contract) => ({
  address,
  topics: [transferTopic, from, to],
  data: word(amount),
})

/** A log of a range of ids of ERC-2309. */
const rangeOf = (first: number, last: number) => ({
  address: Rows.contract,
  topics: [TokenLogs.topics.consecutiveTransfer, word(first), bobTopic, aliceTopic],
  data: word(last),
})

const ranges = [rangeOf(7, 8), rangeOf(1, 1_000_000)]

/** A chain whose transactions give alice these roles, each with the same logs. */
const opened = Effect.fnUntraced(function* (roles: ReadonlyArray<Role.Role>, more: typeof ranges) {
  const logs = [
    ...more,
    logOf(aliceTopic, bobTopic, 1),
    logOf(bobTopic, strangerTopic, 2),
    logOf(strangerTopic, aliceTopic, 0),
    logOf(aliceTopic, bobTopic, 4, etherLogger),
    { address: Rows.contract, topics: [transferTopic], data: "0x" },
  ]
  const plan = { from: Rows.alice, to: Rows.bob, logs }
  const projection = {
    id: WalletLedger.id,
    kind: "ledger" as const,
    revision: WalletLedger.revision,
    ledger: () =>
      LedgerCodec.pack(
        roles.map((role, index) => ({ index, wallet: Rows.alice, roles: Role.bits[role], movements: [] })),
      ),
  }
  const transactions = roles.map(() => plan)
  return yield* openedChain({ blocks: [Rows.block(0, transactions)], projections: [projection] })
})

const transfersOf = Effect.fnUntraced(function* (roles: ReadonlyArray<Role.Role>, more: typeof ranges = []) {
  const open = { _tag: "Open" } as const
  const { chain } = yield* opened(roles, more)
  return yield* WalletTransfers.read({
    chain,
    wallet: Rows.alice,
    range: { from: open, to: open },
    order: "ASC",
    position: { _tag: "First" },
    limit: 100,
    maxBytes: 10_000_000,
    selection: () => true,
  })
})

describe("WalletTransfers.read", () => {
  it.live(
    "returns the transfers to and from the wallet, including those of amount 0, but none of others or of ether",
    () =>
      Effect.gen(function* () {
        const { rows } = yield* transfersOf(["token_sender"])
        const shared = { standard: "erc20", token: Rows.contract, tokenId: null }

        expect(rows.map(({ part }) => part)).toEqual([
          { ...shared, from: Rows.alice, to: Rows.bob, amount: 1n, logIndex: "0" },
          { ...shared, from: Rows.stranger, to: Rows.alice, amount: 0n, logIndex: "2" },
        ])
        expect(rows[0]?.document.internal).toBeNull()
      }).pipe(Effect.scoped),
  )

  it.live("returns each id of a range that one event transfers, as far as the gas of the transaction permits", () =>
    Effect.gen(function* () {
      const { rows } = yield* transfersOf(["token_recipient"], ranges)
      const shared = { standard: "erc721", token: Rows.contract, from: Rows.bob, to: Rows.alice, amount: 1n }

      expect(rows.slice(0, -2).map(({ part }) => part)).toEqual([
        { ...shared, tokenId: 7n, logIndex: "0" },
        { ...shared, tokenId: 8n, logIndex: "0" },
      ])
    }).pipe(Effect.scoped),
  )

  it.live("reads only transactions in which the wallet sent or received tokens", () =>
    Effect.gen(function* () {
      const { rows } = yield* transfersOf(["sender", "token_recipient", "recipient", "token_sender"])

      expect(rows.map(({ document }) => document.row.index)).toEqual([1, 1, 3, 3])
    }).pipe(Effect.scoped),
  )
})
