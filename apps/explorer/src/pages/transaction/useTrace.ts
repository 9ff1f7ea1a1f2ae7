/** The call trace of a transaction from the node, read once for everything that shows it. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useRpc } from "../../service/Service.tsx"

/** Reads the outermost call with its inner calls; reads nothing while the block is unknown. */
export const useTrace = (hash: string, blockHash: string | undefined) =>
  useRpc(["trace", hash, blockHash], (client) => client.debug_traceTransaction(hash, { tracer: "callTracer" }), {
    enabled: blockHash !== undefined,
  })

/** Number of calls in a tree, including the outermost one. */
export const countOf = (root: CallFrame): number => {
  let count = 0
  const left = [root]
  for (let frame = left.pop(); frame !== undefined; frame = left.pop()) {
    count++
    for (const call of frame.calls ?? []) left.push(call)
  }
  return count
}
