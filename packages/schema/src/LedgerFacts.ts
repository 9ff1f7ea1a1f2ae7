/**
 * Facts of a chain that the ledger of a wallet needs besides its fee rules, by the name of the chain. They are a separate module so that
 * clients do not download them.
 */
import type { Name } from "./internal/chainNames.ts"

/**
 * Contracts that represent the native currency of a chain, blocks that changed balances outside of transactions, and where such changes are
 * logged.
 *
 * Source: block explorers of the chains; EIP-779; Gnosis, block reward contract; Avalanche, networks.
 */
export interface LedgerFacts {
  /** Contracts that represent the native currency as a token; their transfers do not change a balance of their own. */
  readonly nativeTokens: ReadonlyArray<string>
  /** Wrapped native currency: contracts whose Deposit and Withdrawal events mint and burn. */
  readonly wrappedTokens: ReadonlyArray<string>
  /** Blocks that changed balances outside of transactions. Source: EIP-779. */
  readonly irregularBlocks: ReadonlyArray<bigint>
  /** Gnosis: contract whose events `AddedReceiver` report what the chain mints at the end of the block; `null` for none. */
  readonly mintLogger: string | null
  /** Avalanche: id of the native currency in atomic transactions; `null` for none. */
  readonly atomicAsset: string | null
}

/** All OP Stack chains. Source: OP Stack specification, predeploys. */
const opStack = {
  nativeTokens: ["0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000"],
  wrappedTokens: ["0x4200000000000000000000000000000000000006"],
}

const polygon = ["0x0000000000000000000000000000000000001010"]

/** Moonbeam, Moonriver and Moonbase: the native currency as a token. */
const moonbeam = ["0x0000000000000000000000000000000000000802"]

const known: Partial<Record<Name, Partial<LedgerFacts>>> = {
  eth: { wrappedTokens: ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"], irregularBlocks: [1_920_000n] },
  sepolia: {
    wrappedTokens: ["0xfff9976782d46cc05630d1f6ebab18b2324d6b14", "0x7b79995e5f793a07bc00c21412e50ecae098e7f9"],
  },
  polygon: { nativeTokens: polygon, wrappedTokens: ["0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270"] },
  "polygon amoy": { nativeTokens: polygon },
  bsc: { wrappedTokens: ["0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"] },
  "bsc testnet": { wrappedTokens: ["0xae13d989dac2f0debff460ac112a837c89baa7cd"] },
  avalanche: {
    wrappedTokens: ["0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"],
    atomicAsset: "0x21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff",
  },
  fantom: { wrappedTokens: ["0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83"] },
  cronos: { wrappedTokens: ["0x5c7f8a570d578ed84e63fdfa7b1ee72deae1ae23"] },
  arbitrum: { wrappedTokens: ["0x82af49447d8a07e3bd95bd0d56f35241523fbab1"] },
  gnosis: {
    wrappedTokens: ["0xe91d153e0b41518a2ce8dd3d7944fa863463a97d"],
    mintLogger: "0x481c034c6d9441db23ea48de68bcae812c5d39ba",
  },
  chiliz: { wrappedTokens: ["0x677f7e16c7dd57be1d4c8ad1244883214953dc47"] },
  base: { ...opStack },
  "base sepolia": { ...opStack },
  optimism: { ...opStack },
  "optimism sepolia": { ...opStack },
  linea: { wrappedTokens: ["0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f"] },
  moonbeam: { nativeTokens: moonbeam, wrappedTokens: ["0xacc15dc74880c9944775448304b263d191c6077f"] },
  moonriver: { nativeTokens: moonbeam, wrappedTokens: ["0x98878b06940ae243284ca214f92bb71a2b032b8a"] },
  moonbase: { nativeTokens: moonbeam },
}

const none: LedgerFacts = {
  nativeTokens: [],
  wrappedTokens: [],
  irregularBlocks: [],
  mintLogger: null,
  atomicAsset: null,
}

const byName = new Map(Object.entries(known))

/**
 * Returns the facts of a chain; empty lists and `null` if none are known.
 *
 * **Example** (Reading the contract of wrapped ether)
 *
 * ```ts
 * import * as LedgerFacts from "@daybook/schema/LedgerFacts"
 *
 * console.log(LedgerFacts.ofChain("base").wrappedTokens) // [ '0x4200000000000000000000000000000000000006' ]
 * ```
 *
 * Source: block explorers of the chains; EIP-779.
 */
export const ofChain = (name: string): LedgerFacts => ({ ...none, ...byName.get(name) })
