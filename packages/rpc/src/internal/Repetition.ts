/** Which calls may be sent again after an attempt of which it is not known whether the node executed the call. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { CallError } from "../RpcError.ts"

/** Names by which nodes call methods that only read. `eth_getFilterChanges` gives each change once. */
const reads =
  /^(?:net|ots|trace|txpool|web3)_|^[^_]+_(?:blob|block|call|chain|createAccessList|estimate|fee|gas|get(?!FilterChanges$)|is[A-Z]|new(?:Block|PendingTransaction)?Filter$|simulate|storage|trace)/

/** False for methods that may write, such as those that send a transaction: a second execution is not what the caller asked for. */
export const isRepeatable = (method: string): boolean => RpcMethod.isName(method) || reads.test(method)

/** Of the reason of a failure, what states that no connection was made: most platforms give no code where one broke. */
const unconnected =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|CONNECT_TIMEOUT|ConnectionRefused|CERT_|ERR_TLS/

/** True for errors after which it is certain that the node did not execute the call. */
export const isUnexecuted = (error: CallError): boolean =>
  error._tag === "TransportError"
    ? unconnected.test(error.reason)
    : error._tag === "RpcError"
      ? error.kind === "methodUnsupported"
      : error._tag === "RateLimited" || error._tag === "Unauthorized"
