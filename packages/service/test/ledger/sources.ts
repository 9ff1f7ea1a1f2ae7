/** Handwritten inputs of ledger derivation. */
import type * as BlockFacts from "../../src/block/BlockFacts.ts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import type { LedgerSource, SourceFrame, SourceLog, SourceTransaction } from "../../src/ledger/LedgerSource.ts"
import * as Role from "../../src/ledger/Role.ts"
import { topics } from "../../src/ledger/TokenLogs.ts"

export const account = (digit: string) => `0x${digit.repeat(40)}`
export const [alice, bob, carol, miner, token] = [account("a"), account("b"), account("c"), account("d"), account("7")]
export const zero = account("0")

export const word = (value: string | bigint | number) =>
  (typeof value === "string" ? value.replace(/^0x/, "") : value.toString(16)).padStart(64, "0")
export const topic = (value: string | bigint | number) => `0x${word(value)}`
export const data = (...words: ReadonlyArray<string | bigint | number>) => `0x${words.map(word).join("")}`

export const log = (more: Partial<SourceLog>): SourceLog => ({
  address: token,
  topics: [],
  data: "0x",
  logIndex: 0,
  ...more,
})

export const transferLog = (from: string, to: string, amount: bigint, more: Partial<SourceLog> = {}): SourceLog =>
  log({ topics: [topics.transfer, topic(from), topic(to)], data: data(amount), ...more })

export const frame = (
  from: string,
  to: string | null,
  value: bigint,
  more: Partial<SourceFrame> = {},
): SourceFrame => ({
  type: "CALL",
  from,
  to,
  value: value.toString(),
  isFailed: false,
  ...more,
})

/** A transaction of alice to bob, at a gas price of 10 with 21,000 gas. */
export const transaction = (more: Partial<SourceTransaction> = {}): SourceTransaction => ({
  index: 0,
  from: alice,
  to: bob,
  created: null,
  value: 0n,
  gas: 21_000n,
  gasUsed: 21_000n,
  gasPrice: 10n,
  status: 1,
  logs: [],
  frames: [],
  facts: { index: 0, type: 2 },
  ...more,
})

export const facts = (more: object = {}): BlockFacts.BlockFacts => {
  const all: object = {
    feeRecipient: miner,
    baseFeePerGas: 7n,
    gasUsed: 21_000n,
    gasFees: 210_000n,
    difficulty: 0n,
    uncles: [],
    withdrawals: [],
    transactions: [],
    ...more,
  }
  // Sound: the fields have the types of block facts.
  return all as BlockFacts.BlockFacts
}

export const source = (more: Partial<LedgerSource> = {}): LedgerSource => ({
  number: 100,
  timestamp: 1_800_000_000,
  facts: facts(),
  transactions: [transaction()],
  ...more,
})

export const ethereum = LedgerRules.fromChainId(1)

/** Roles and movements of a block as text: kind, asset, signed amount, counterparty. */
export const rowsOf = (block: LedgerSource, rules = ethereum) =>
  Ledger.derive(block, rules).map(({ index, movements, roles, wallet }) => ({
    index,
    wallet,
    roles: Role.fromBits(roles),
    isIncomplete: Role.isIncomplete(roles),
    movements: movements.map(({ amount, asset, kind, tokenId }) =>
      [kind, asset === "native" ? null : asset, tokenId, amount.toString()].filter((part) => part !== null).join(" "),
    ),
  }))

export const movementsOf = (wallet: string, block: LedgerSource, rules = ethereum) =>
  rowsOf(block, rules)
    .filter((row) => row.wallet === wallet)
    .flatMap(({ movements }) => movements)

/** Wallets whose ledger is marked as incomplete in a block. */
export const markedIn = (block: LedgerSource, rules = ethereum) =>
  rowsOf(block, rules)
    .filter(({ isIncomplete }) => isIncomplete)
    .map(({ wallet }) => wallet)
