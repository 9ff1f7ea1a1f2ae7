/** The name in the heading of an address. Pure. */
import type { ContractAbi } from "@daybook/rest/ExplorerClient"
import { titleOf, type TokenNames } from "../../tokens/TokenText.ts"

/** What is known of an address; a part is undefined or `null` where there is none. */
interface Known {
  /** The label of the person. */
  readonly own: string | undefined
  /** The label of the service. */
  readonly served: string | undefined
  readonly token: TokenNames | null
  readonly contract: ContractAbi | undefined
}

/** A label stands before what a token states of itself, but not the name of its code, which tokens share. */
export const nameOf = ({ contract, own, served, token }: Known): string | undefined => {
  const isWhole = token?.name !== undefined && token.symbol !== undefined
  const isOfCode = contract !== undefined && contract.abi.length > 0 && contract.name === served
  const label = isWhole && isOfCode ? undefined : served
  return own ?? label ?? (token === null ? undefined : titleOf(token))
}
