/**
 * Signs the statements of a search on a node.
 *
 * Source: decision 0050.
 */
import type { BlockRef } from "../block/BlockRows.ts"
import * as StatementFile from "../signed/StatementFile.ts"
import type { SigningKey } from "../signed/SigningKey.ts"
import type * as Statement from "./Statement.ts"

/** What the statements of a chain do not have themselves. */
export interface Details extends Pick<StatementFile.Subject, "madeAt" | "madeBy"> {
  readonly opening: BlockRef
}

const partOf = (statement: Statement.Statement): StatementFile.WalletPart => {
  const { address, byStateRoot, closing, differences, isProved, opening, rows, sent, totals, unproved } = statement
  const counts = sent?.counts ?? null
  return { address, opening, totals, closing, counts, isProved, byStateRoot, differences, notCovered: unproved, rows }
}

/** The file of the statements of one chain, all over the same blocks. */
export const toText = (
  statements: readonly [Statement.Statement, ...ReadonlyArray<Statement.Statement>],
  details: Details,
  key: SigningKey,
): string => {
  const [{ block: closing, chainId, fromBlock }] = statements
  const subject: StatementFile.Subject = { source: "node", chainId, fromBlock, closing, ...details }
  return StatementFile.toText(StatementFile.sign(subject, statements.map(partOf), key))
}
