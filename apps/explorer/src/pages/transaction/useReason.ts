/** Why a call failed, in words: its error as the service decodes it, else what the bytes and the node state. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useErrorName } from "../../names/useNames.ts"
import { formatError, formatSelector } from "./Revert.ts"

/** The reason of a call; undefined where it did not fail. */
export const useReason = (frame: CallFrame | undefined): string | undefined => {
  const isFailed = frame?.error != null
  const error = useErrorName(isFailed ? (frame.to ?? frame.from) : null, frame?.output)
  if (!isFailed) return undefined
  return error === undefined
    ? (formatSelector(frame.output) ?? frame.revertReason ?? frame.error ?? undefined)
    : formatError(error)
}
