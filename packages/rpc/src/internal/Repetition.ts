/** Decides which calls may be sent again after an attempt that the node may or may not have executed. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { CallError } from "../RpcError.ts"

/** Name patterns of methods that only read. `eth_getFilterChanges` is not one: it returns each change once. */
const reads =
  /^(?:net|ots|trace|txpool|web3)_|^[^_]+_(?:blob|block|call|chain|createAccessList|estimate|fee|gas|get(?!FilterChanges$)|is[A-Z]|new(?:Block|PendingTransaction)?Filter$|simulate|storage|trace)/

/** False for methods that may write, such as those that send a transaction, because the caller did not request a second execution. */
export const isRepeatable = (method: string): boolean => RpcMethod.isName(method) || reads.test(method)

/** Failure reasons that imply that no connection was made. Most platforms report no code for a broken connection. */
const unconnected =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|CONNECT_TIMEOUT|ConnectionRefused|CERT_|ERR_TLS/

/** True for errors that prove that the node did not execute the call. */
export const isUnexecuted = (error: CallError): boolean =>
  error._tag === "TransportError"
    ? unconnected.test(error.reason)
    : error._tag === "RpcError"
      ? error.kind === "methodUnsupported"
      : error._tag === "RateLimited" || error._tag === "Unauthorized"
