/**
 * Decodes a stored transaction again with newer signatures, from the input, topics and data in its JSON text. Used when a row of an older
 * decoder is served, and by the indexer, which rewrites such rows. Pure.
 */
import type { DecodedItemWire, LogData } from "@daybook/abi/Decoder"

/** Also decodes by contract, whose address is lower case. */
export interface ContractDecoder {
  readonly event: (log: LogData, address: string) => DecodedItemWire | null
  readonly call: (input: string, address: string) => DecodedItemWire | null
}

interface Log {
  readonly address: string
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
 * Returns a transaction's body with its events and call decoded by `decoder` and everything else unchanged.
 *
 * **Details** `body` is the body of a `TransactionRow`. The result equals what the indexer writes with this decoder. Throws if the text is
 * not JSON.
 */
export const redecode = (body: string, decoder: ContractDecoder): string => {
  const transaction = JSON.parse(body) as Body
  for (const log of transaction.logs) {
    const topics = [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => topic !== "")
    log.decoded_event = decoder.event({ topics, data: log.data }, log.address)
  }
  const { input, to_address: to } = transaction
  transaction.decoded_call = to === null ? null : decoder.call(input, to)
  return JSON.stringify(transaction)
}
