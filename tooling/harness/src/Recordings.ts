/**
 * Recorded responses of public nodes and providers, each with its source: one JSON object per line of
 * `fixtures/recordings.jsonl.gz`.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/** A recorded response. */
export interface Recording {
  /** Names the recording: its kind and a number, such as `blocks/004.json`. */
  readonly file: string
  readonly kind: string
  /** Name of its resource, such as `Block.HydratedBlock`; another text for an error. */
  readonly schema: string
  readonly chain: string
  /** Where the response was published. */
  readonly source: string
  /** True if its hash matches its header, so that it is a real block. */
  readonly isHashVerified: boolean
  /** What is unusual about it. */
  readonly peculiar: string
  readonly json: unknown
}

const folder = new URL("../fixtures/", import.meta.url)

const read = (): ReadonlyArray<Recording> =>
  gunzipSync(readFileSync(new URL("recordings.jsonl.gz", folder)))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line): Recording => JSON.parse(line))

/** All recordings. */
export const all: ReadonlyArray<Recording> = read()

const byFile = new Map(all.map((recording) => [recording.file, recording]))

/** The JSON of a recording; throws for one that does not exist. */
export const json = (file: string): unknown => {
  const recorded = byFile.get(file)
  if (recorded === undefined) throw new Error(`Unknown recording: ${file}`)
  return recorded.json
}
