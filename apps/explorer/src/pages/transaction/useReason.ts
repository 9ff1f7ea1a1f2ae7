/** Why a call failed, in words: the error of the contract with its parameters where it is known, else what the bytes state. */
import type { DecodedItem } from "@daybook/rest/promise"
import type { CallFrame } from "@daybook/rpc/promise"
import { useErrorName } from "../../names/useNames.ts"
import { isPlain, reasonOf } from "./Revert.ts"

/** Longest reason that is shown, in characters. */
const maxCharacters = 500

/** An error as it is written in Solidity, with named parameters. */
const textOf = ({ label, params }: DecodedItem): string => {
  const values = params.map(({ name, value }) => (name === "" ? value : `${name}: ${value}`))
  const text = `${label}(${values.join(", ")})`
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
}

/** The reason of a call; undefined where it did not fail, or is not known yet. */
export const useReason = (frame: CallFrame | undefined): string | undefined => {
  const isFailed = frame?.error !== undefined
  const isNamed = isFailed && !isPlain(frame.output)
  const named = useErrorName(isNamed ? frame.to : null, frame?.output)
  if (!isFailed) return undefined
  return named === undefined ? (reasonOf(frame.output) ?? frame.revertReason ?? frame.error) : textOf(named)
}
