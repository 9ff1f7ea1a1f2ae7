/**
 * Traffic of a fake chain: its tokens, opening balances of accounts, and the kinds of transactions and withdrawals.
 */
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import type { FakeLog, FakeTransaction, FakeWithdrawal } from "./FakeBlock.ts"
import type * as Random from "./Random.ts"

const ether = 10n ** 18n
const zeroAddress = `0x${"0".repeat(40)}`

/** A fungible token of the chain. */
export interface Token {
  readonly address: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** The fungible tokens, by address. */
export const tokens: ReadonlyArray<Token> = [
  { address: "0x6b175474e89094c44da98b954eedeac495271d0f", name: "Dai Stablecoin", symbol: "DAI", decimals: 18 },
  { address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", name: "USD Coin", symbol: "USDC", decimals: 6 },
  { address: "0xdac17f958d2ee523a2206206994597c13d831ec7", name: "Tether USD", symbol: "USDT", decimals: 6 },
]

const unitOf = ({ decimals }: Token): bigint => 10n ** BigInt(decimals)

/** Opening balance of every account before the first block: more than it spends. */
export const openings: ReadonlyArray<{ readonly asset: string; readonly amount: bigint }> = [
  { asset: "native", amount: 1_000n * ether },
  ...tokens.map((token) => ({ asset: token.address, amount: 1_000_000n * unitOf(token) })),
]

/** An ERC-721 contract. */
export const collectibles = "0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d"
/** An ERC-1155 contract. */
export const multiTokens = "0x495f947276749ce646f68ac8c248420045cb7b5e"
/** Contracts with `balanceOf(address)`. */
export const counted: ReadonlySet<string> = new Set([...tokens.map(({ address }) => address), collectibles])

const router = "0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad"

const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const indexed = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

const transferLog = (token: string, from: string, to: string, amount: bigint): FakeLog => ({
  address: token,
  topics: [TokenTransfer.topics.transfer, indexed(from), indexed(to)],
  data: `0x${word(amount)}`,
})

/** A transaction without a position or a price. */
export type Draft = Pick<FakeTransaction, "from" | "to" | "value" | "gasUsed" | "input" | "logs"> &
  Partial<Pick<FakeTransaction, "calls">>

const callOf = (selector: string, ...words: ReadonlyArray<bigint | string>): string =>
  `${selector}${words.map((one) => (typeof one === "string" ? indexed(one).slice(2) : word(one))).join("")}`

type Kind = (wallet: string, other: string, random: Random.Random) => Draft

const gasBetween = (random: Random.Random, least: number, most: number): bigint =>
  BigInt(least + random.integer(most - least))

const sendToken: Kind = (from, to, random) => {
  const token = random.pick(tokens)
  const { address } = token
  const unit = unitOf(token)
  const amount = random.amount(unit, 5_000n * unit)
  const logs = [transferLog(address, from, to, amount)]
  const gasUsed = gasBetween(random, 46_000, 65_000)
  return { from, to: address, value: 0n, gasUsed, input: callOf("0xa9059cbb", to, amount), logs }
}

/** Kinds of transactions; the first ones are the most frequent. */
export const kinds: ReadonlyArray<Kind> = [
  (from, to, random) => ({
    from,
    to,
    value: random.amount(ether / 1000n, 2n * ether),
    gasUsed: 21000n,
    input: "0x",
    logs: [],
  }),
  (to, from, random) => ({
    from,
    to,
    value: random.amount(ether / 1000n, 5n * ether),
    gasUsed: 21000n,
    input: "0x",
    logs: [],
  }),
  sendToken,
  (to, from, random) => sendToken(from, to, random),
  (from, pool, random) => {
    const [sold, bought] = [random.pick(tokens), random.pick(tokens)]
    const logs = [
      transferLog(sold.address, from, pool, random.amount(unitOf(sold), 900n * unitOf(sold))),
      transferLog(bought.address, pool, from, random.amount(unitOf(bought), 900n * unitOf(bought))),
    ]
    const gasUsed = gasBetween(random, 120_000, 230_000)
    return { from, to: router, value: 0n, gasUsed, input: callOf("0x3593564c", 0x60n, 0xa0n), logs }
  },
  (from, _other, random) => {
    const id = random.amount(0n, 2n ** 64n)
    const logs = [{ ...transferLog(collectibles, zeroAddress, from, 0n), data: "0x" }].map((log) => ({
      ...log,
      topics: [...log.topics, `0x${word(id)}`],
    }))
    const value = ether / 20n
    return { from, to: collectibles, value, gasUsed: gasBetween(random, 90_000, 130_000), input: "0x1249c58b", logs }
  },
  (to, from, random) => {
    const [id, amount] = [random.amount(0n, 2n ** 64n), BigInt(1 + random.integer(9))]
    const log = {
      address: multiTokens,
      topics: [TokenTransfer.topics.transferSingle, indexed(from), indexed(from), indexed(to)],
      data: `0x${word(id)}${word(amount)}`,
    }
    const input = callOf("0xf242432a", from, to, id, amount, 0xa0n, 0n)
    return { from, to: multiTokens, value: 0n, gasUsed: gasBetween(random, 50_000, 70_000), input, logs: [log] }
  },
  (from, pool, random) => {
    const sold = random.pick(tokens)
    const logs = [transferLog(sold.address, from, pool, random.amount(unitOf(sold), 900n * unitOf(sold)))]
    const value = random.amount(ether / 100n, ether / 2n)
    const calls = [
      { from: pool, to: router, value },
      { from: router, to: from, value },
    ]
    const gasUsed = gasBetween(random, 120_000, 230_000)
    return { from, to: router, value: 0n, gasUsed, input: callOf("0x3593564c", 0x60n, 0xa0n), logs, calls }
  },
]

/** Number of blocks between two withdrawals of the wallet. */
const withdrawalBlocks = 32

/** Withdrawals of a block. Those of the wallet are rare, as on the real chain. */
export const withdrawals = (wallet: string, number: number, random: Random.Random): ReadonlyArray<FakeWithdrawal> => {
  const amountGwei = random.amount(10_000_000n, 20_000_000n)
  const address = number % withdrawalBlocks === 0 ? wallet : random.hex(20)
  return [{ index: number, validatorIndex: 1 + random.integer(900_000), address, amountGwei }]
}
