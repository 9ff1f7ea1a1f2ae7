/** Finds out why a transaction failed by executing it again on the state before its block, for nodes that do not trace calls. */
import { type CallFrame, isRpcError, type RpcClient, type Transaction } from "@daybook/rpc/promise"
import * as Revert from "@daybook/rpc/Revert"

/** Whether a tracer reported that a call failed, but neither its return data nor a reason. */
export const isWithoutReason = ({ error, output, revertReason }: CallFrame): boolean =>
  error != null && revertReason == null && (output == null || output === "0x")

/** Gas limit of the replay, if the node does not state that of the transaction. */
const defaultGas = 30_000_000n

/** The data of the node's error, with the reason if it is one of Solidity's built-in errors. */
type Failure = Pick<CallFrame, "error" | "output" | "revertReason">

const failureOf = (error: unknown): Failure | null => {
  if (!isRpcError(error) || error._tag !== "RpcError" || error.kind !== "reverted") return null
  const { message, revert } = error
  if (revert?._tag === "Custom") return { error: message, output: revert.data }
  const revertReason = Revert.formatReason(revert)
  return revertReason === undefined ? { error: message } : { error: message, revertReason }
}

/**
 * The outermost call with its error; `null` if it succeeds on that state, because earlier transactions in its block may have changed the
 * state that it saw.
 */
export const read = async (
  client: RpcClient,
  { from, gas, input, to, value }: Transaction,
  block: bigint,
): Promise<CallFrame | null> => {
  const called = to ?? null
  const call = { from, to: called, value: value ?? 0n, data: input ?? "0x", gas: gas ?? defaultGas }
  try {
    await client.eth_call(call, block - 1n)
    return null
  } catch (error) {
    const failure = failureOf(error)
    if (failure === null) throw error
    return { type: "CALL", from, to: called, ...failure }
  }
}
