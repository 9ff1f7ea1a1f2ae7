/** Logs of the REST operations and of JSON-RPC, distinguished. */
import type * as Log from "../Log.ts"
import type * as Receipt from "../Receipt.ts"

/** True for a log of the REST operations. Sound: JSON has no bigints, so only a decoded REST log has one. */
export const isRestLog = (log: Log.Log | Receipt.Log): log is Log.Log =>
  "block_number" in log && typeof log.block_number === "bigint"
