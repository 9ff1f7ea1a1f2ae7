/**
 * Decodes a stored transaction again: its JSON text holds input, topics and data, so newer signatures need no node.
 * Used in memory when a row of an older decoder is served, and by the indexer's pass that rewrites such rows. Pure.
 */
import type { DecodedItemWire, Decoder } from "./Decoder.ts"

interface Log {
  readonly topic0: string
  readonly topic1: string
  readonly topic2: string
  readonly topic3: string
  readonly data: string
  decoded_event: DecodedItemWire | null
}

interface Body {
  readonly to_address: string | null
  readonly input: string
  readonly logs: ReadonlyArray<Log>
  decoded_call: DecodedItemWire | null
}

/**
 * The text of a transaction's body with every event and the call decoded by `decoder`; everything else stays as it is.
 *
 * **Details**
 * Takes the text of a `TransactionRow`, as the indexer wrote it. The answer is the text that the indexer writes with this
 * decoder. Text that is not such a body is a defect.
 */
export const redecode = (body: string, decoder: Decoder): string => {
  const transaction = JSON.parse(body) as Body
  for (const log of transaction.logs) {
    const topics = [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => topic !== "")
    log.decoded_event = decoder.event({ topics, data: log.data })
  }
  transaction.decoded_call = transaction.to_address === null ? null : decoder.call(transaction.input)
  return JSON.stringify(transaction)
}
