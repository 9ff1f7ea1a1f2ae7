/** The name in the heading of an address page. Pure. */
import type { ContractAbi } from "@daybook/rest/ExplorerClient"
import { titleOf, type TokenNames } from "../../tokens/TokenText.ts"

/** Names known for an address; undefined or `null` for none. */
interface Known {
  /** The user's own label. */
  readonly own: string | undefined
  /** The label of the service. */
  readonly served: string | undefined
  readonly token: TokenNames | null
  readonly contract: ContractAbi | undefined
}

/** A label has precedence over the name that a token reports, unless the label is just the name of its code, which other tokens share. */
export const nameOf = ({ contract, own, served, token }: Known): string | undefined => {
  const isWhole = token?.name !== undefined && token.symbol !== undefined
  const isOfCode = contract !== undefined && contract.abi.length > 0 && contract.name === served
  const label = isWhole && isOfCode ? undefined : served
  return own ?? label ?? (token === null ? undefined : titleOf(token))
}
