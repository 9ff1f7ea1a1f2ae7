/** Why a call failed, as text: its error as decoded by the service, otherwise the reason in the return data or from the node. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useErrorName } from "../../names/useNames.ts"
import { formatError, formatSelector } from "./Revert.ts"

/** The reason of a failed call; undefined if the call did not fail. */
export const useReason = (frame: CallFrame | undefined): string | undefined => {
  const isFailed = frame?.error != null
  const error = useErrorName(isFailed ? (frame.to ?? frame.from) : null, frame?.output)
  if (!isFailed) return undefined
  return error === undefined
    ? (formatSelector(frame.output) ?? frame.revertReason ?? frame.error ?? undefined)
    : formatError(error)
}
