/**
 * The stored text of an indexer's status.
 */
import * as Schema from "effect/Schema"
import type { IndexerStatus } from "../StatusBoard.ts"

const StatusJson = Schema.fromJsonString(
  Schema.Struct({
    state: Schema.Literals(["waiting", "backfill", "synced", "misconfigured", "stopped"]),
    traces: Schema.NullOr(Schema.Literals(["trace_block", "debug_traceBlock", "debug_traceTransaction", "off"])),
    nodeHead: Schema.NullOr(Schema.Number),
    message: Schema.String,
    blocksPerSecond: Schema.optional(Schema.Number),
    headAgeMillis: Schema.optionalKey(Schema.Number),
    pollMillis: Schema.optionalKey(Schema.Number),
    headBlocksPerSecond: Schema.optional(Schema.Number),
    unchecked: Schema.optional(Schema.String),
    settings: Schema.optional(
      Schema.Array(
        Schema.Struct({
          name: Schema.Literals(["traces", "allFrames", "checks", "rows"]),
          value: Schema.String,
          from: Schema.optionalKey(Schema.Number),
        }),
      ),
    ),
    startNote: Schema.optional(Schema.String),
    lacking: Schema.optional(Schema.String),
    prepend: Schema.optional(
      Schema.Struct({
        to: Schema.Number,
        blocksPerSecond: Schema.optional(Schema.Number),
        issue: Schema.optional(Schema.String),
      }),
    ),
    past: Schema.optional(
      Schema.Struct({
        wallets: Schema.Array(Schema.String),
        searchedTo: Schema.Number,
        end: Schema.Number,
        calls: Schema.Number,
        callsLeft: Schema.Number,
        etaMillis: Schema.optional(Schema.Number),
        issue: Schema.optional(Schema.String),
      }),
    ),
    counts: Schema.optionalKey(
      Schema.Struct({
        blocks: Schema.Number,
        transactions: Schema.Number,
        reorgs: Schema.Number,
        obstacles: Schema.Number,
      }),
    ),
    // A field that is missing here would not be stored.
  } satisfies { readonly [Name in keyof Required<IndexerStatus>]: Schema.Top }),
)
/** Decodes a stored status. */
export const decode = Schema.decodeUnknownEffect(StatusJson)
/** Encodes a status as text. */
export const encode = Schema.encodeEffect(StatusJson)
