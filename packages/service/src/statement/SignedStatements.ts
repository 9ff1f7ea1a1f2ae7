/**
 * Signs statements that were built by a search on a node.
 *
 * Source: decision 0050.
 */
import * as Result from "effect/Result"
import type { BlockRef } from "../block/BlockRows.ts"
import * as Holding from "../ledger/Holding.ts"
import * as StatementFile from "../signed/StatementFile.ts"
import type { SigningKey } from "../signed/SigningKey.ts"
import type * as Statement from "./Statement.ts"

/** What a signed file needs beyond the statements of a chain. */
export interface Details extends Pick<StatementFile.Subject, "madeAt" | "madeBy"> {
  readonly opening: BlockRef
}

const partOf = (statement: Statement.Statement): StatementFile.WalletPart => {
  const { address, byStateRoot, closing, differences, isProved, opening, rows, sent, totals, unproved } = statement
  const counts = sent?.counts ?? null
  return { address, opening, totals, closing, counts, isProved, byStateRoot, differences, notCovered: unproved, rows }
}

const countAssets = ({ closing, opening, totals }: Statement.Statement): number =>
  new Set([...opening, ...totals, ...closing].map(({ holding }) => Holding.keyOf(holding))).size

/**
 * Builds the file of one chain's statements, all over the same blocks.
 *
 * **Errors**
 * - `StatementTooLong`: a wallet has more assets than one statement may have.
 */
export const toText = (
  statements: readonly [Statement.Statement, ...ReadonlyArray<Statement.Statement>],
  details: Details,
  key: SigningKey,
): Result.Result<string, StatementFile.StatementTooLong> => {
  const [{ block: closing, chainId, fromBlock }] = statements
  const subject: StatementFile.Subject = { source: "node", chainId, fromBlock, closing, ...details }
  return Result.map(StatementFile.checkAssets(Math.max(...statements.map(countAssets))), () =>
    StatementFile.toText(StatementFile.sign(subject, statements.map(partOf), key)),
  )
}
