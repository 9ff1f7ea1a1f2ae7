/** Which calls may be sent again after an attempt of which it is not known whether the node executed the call. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { CallError } from "../RpcError.ts"

/** Names by which nodes call methods that only read. `eth_getFilterChanges` gives each change once. */
const reads =
  /^(?:net|ots|trace|txpool|web3)_|^[^_]+_(?:accounts|blob|block|call|chain|coinbase|createAccessList|estimate|fee|gas|get(?!FilterChanges$)|hashrate|is[A-Z]|mining|new|protocolVersion|simulate|storage|trace)/

/** False for methods that may write, such as those that send a transaction: a second execution is not what the caller asked for. */
export const isRepeatable = (method: string): boolean => RpcMethod.isName(method) || reads.test(method)

/** True for errors after which it is certain that the node did not execute the call. */
export const isUnexecuted = (error: CallError): boolean => {
  switch (error._tag) {
    case "TransportError":
      return error.phase === "connect"
    case "RpcError":
      return error.kind === "methodUnsupported"
    default:
      return error._tag === "RateLimited" || error._tag === "Unauthorized"
  }
}
