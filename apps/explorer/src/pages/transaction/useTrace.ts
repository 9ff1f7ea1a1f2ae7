/** The calls of a transaction, as a node traces them. They are read once for everything that shows them. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useRpc } from "../../service/Service.tsx"

/** Reads the outermost call with those inside; nothing while the block is not known. */
export const useTrace = (hash: string, blockHash: string | undefined) =>
  useRpc(["trace", hash, blockHash], (client) => client.debug_traceTransaction(hash, { tracer: "callTracer" }), {
    enabled: blockHash !== undefined,
  })

/** Number of calls of a tree, with the outermost one. */
export const countOf = (root: CallFrame): number => {
  let count = 0
  const left = [root]
  for (let frame = left.pop(); frame !== undefined; frame = left.pop()) {
    count++
    for (const call of frame.calls ?? []) left.push(call)
  }
  return count
}
