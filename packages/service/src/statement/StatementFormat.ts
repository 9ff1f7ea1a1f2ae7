/**
 * Formats statements as text for people and as JSON for programs. Pure.
 *
 * Source: decision 0047.
 */
import * as Chain from "@daybook/schema/Chain"
import * as Wei from "@daybook/schema/Wei"
import type * as Holding from "../ledger/Holding.ts"
import type * as Proof from "../proof/Proof.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type * as Statement from "./Statement.ts"

/**
 * Metadata of tokens by their address.
 */
export type Tokens = ReadonlyMap<string, TokenMetadata>

const nativeDecimals = 18

const chainOf = (chainId: number): Chain.Chain | undefined => Chain.all.find(({ id }) => id === BigInt(chainId))

/**
 * Name of a chain; its id if the interface does not list it.
 */
export const chainName = (chainId: number): string => chainOf(chainId)?.name ?? `chain ${chainId}`

/**
 * Symbol of the native currency of a chain.
 */
export const nativeSymbol = (chainId: number): string => chainOf(chainId)?.symbol ?? "ETH"

/**
 * Decimals of a holding: those of its token if its amounts are fractions.
 */
export const decimalsOf = ({ asset, standard }: Holding.Holding, tokens: Tokens): number => {
  if (standard === "native") return nativeDecimals
  return standard === "erc20" ? (tokens.get(asset)?.decimals ?? 0) : 0
}

const nameOf = ({ asset, standard, tokenId }: Holding.Holding, chainId: number, tokens: Tokens): string => {
  if (standard === "native") return nativeSymbol(chainId)
  const symbol = tokens.get(asset)?.symbol ?? "unnamed"
  return `${symbol} (${standard} ${asset}${tokenId === null ? "" : ` id ${tokenId}`})`
}

const line = (label: string, amount: string, name: string): string =>
  `  ${label.padEnd(18)} ${amount.padStart(28)} ${name}`

const differenceOf = ({ expected, firstBlock, found, holding }: Proof.Difference, chainId: number, tokens: Tokens) => {
  const format = (amount: bigint) => Wei.formatUnits(amount, decimalsOf(holding, tokens))
  const where = firstBlock === null ? "" : `, first at block ${firstBlock}`
  const state = found === null ? "the contract returns no balance" : `the chain has ${format(found)}`
  return `  ${nameOf(holding, chainId, tokens)}: movements sum up to ${format(expected)}, ${state}${where}`
}

const byRootOf = ({ byStateRoot, chainId }: Statement.Statement): ReadonlyArray<string> => {
  if (byStateRoot.length === 0) return []
  const parts = byStateRoot.map((one) => (one === "native" ? nativeSymbol(chainId) : "sent transactions"))
  return [`verified against the state root of the block: ${parts.join(" and ")}`]
}

const provedOf = ({ closing, differences, isProved, sent, totals }: Statement.Statement): string => {
  const keys = new Set([...totals, ...closing].map(({ holding: { asset, tokenId } }) => `${asset} ${tokenId}`))
  const nonces =
    sent === null
      ? "a contract: its transaction count is not compared"
      : `${sent.found} of ${sent.expected} sent transactions`
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`
  const counts = [`${count(keys.size, "balance")} compared`, count(differences.length, "difference")]
  return `${isProved ? "proved" : "NOT PROVED"}: ${[nonces, ...counts].join(", ")}`
}

/**
 * Lines of a statement, for people.
 */
export const toText = (statement: Statement.Statement, tokens: Tokens): ReadonlyArray<string> => {
  const { address, block, chainId, closing, differences, fromBlock, opening, openingBlock, totals, unproved } =
    statement
  const amountOf = (amount: bigint, holding: Holding.Holding) => Wei.formatUnits(amount, decimalsOf(holding, tokens))
  const balances = (label: string, list: ReadonlyArray<Statement.Balance>) =>
    list.map(({ amount, holding }) => line(label, amountOf(amount, holding), nameOf(holding, chainId, tokens)))
  return [
    `${address} on ${chainName(chainId)}, blocks ${fromBlock} to ${block.number}, ${statement.transactions} transactions`,
    `opening at the end of block ${openingBlock}`,
    ...balances("held", opening),
    "movements",
    ...totals.flatMap(({ count, holding, in: received, kind, out }) => {
      const name = nameOf(holding, chainId, tokens)
      const sides = [
        [received, "in"],
        [out, "out"],
      ] as const
      const shown = sides.filter(([amount]) => amount !== 0n)
      return shown.map(([amount, side]) => line(`${kind} ${side} (${count})`, amountOf(amount, holding), name))
    }),
    `closing at block ${block.number} (${block.hash})`,
    ...balances("holds", closing),
    provedOf(statement),
    ...byRootOf(statement),
    ...differences.map((difference) => differenceOf(difference, chainId, tokens)),
    "not covered by the proof",
    ...unproved.map((sentence) => `  ${sentence}`),
  ]
}

const assetOf = ({ asset, standard, tokenId }: Holding.Holding) => ({ asset, standard, token_id: tokenId })

const balanceOf = ({ amount, holding }: Statement.Balance) => ({ ...assetOf(holding), balance: amount.toString() })

/**
 * The statement as a JSON value, with the names of the interface. Amounts are decimal text in the smallest unit.
 */
export const toJson = (statement: Statement.Statement, tokens: Tokens) => {
  const { address, block, chainId, differences, sent } = statement
  const own = new Set([...statement.totals, ...statement.opening].map(({ holding }) => holding.asset))
  return {
    address,
    chain: chainName(chainId),
    chain_id: chainId,
    from_block: statement.fromBlock,
    block_number: block.number,
    block_hash: block.hash,
    proved: statement.isProved,
    transactions: statement.transactions,
    sent_transactions: sent === null ? null : { expected: sent.expected, found: sent.found },
    opening: {
      block_number: statement.openingBlock,
      result: statement.opening.map(balanceOf),
    },
    sums: statement.totals.map(({ count, holding, in: received, kind, out }) => ({
      ...assetOf(holding),
      kind,
      count,
      in: received.toString(),
      out: out.toString(),
      amount: (received + out).toString(),
    })),
    closing: {
      block_number: block.number,
      result: statement.closing.map(balanceOf),
    },
    differences: differences.map(({ expected, firstBlock, found, holding }) => ({
      ...assetOf(holding),
      expected: expected.toString(),
      found: found?.toString() ?? null,
      first_block: firstBlock,
    })),
    by_state_root: statement.byStateRoot,
    not_proved: statement.unproved,
    tokens: [...tokens]
      .filter(([token]) => own.has(token))
      .map(([token, { block: read, decimals, name, symbol }]) => ({
        address: token,
        name,
        symbol,
        decimals,
        block_number: read,
      })),
  }
}
