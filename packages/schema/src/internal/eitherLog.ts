/** Logs of the REST operations and of JSON-RPC, distinguished. */
import type * as Log from "../Log.ts"
import type * as Receipt from "../Receipt.ts"

/** True for a log of the REST operations. Sound: no JSON has a bigint, so only a decoded log of them has one. */
export const isRestLog = (log: Log.Log | Receipt.Log): log is Log.Log =>
  "block_number" in log && typeof log.block_number === "bigint"
