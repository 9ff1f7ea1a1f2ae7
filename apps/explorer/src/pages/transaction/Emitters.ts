/** Contracts that emitted the decoded logs of a transaction, and the maximum number of ABIs to read, at one request each. Pure. */
import type { DecodedItem } from "@daybook/rest/promise"

/** Maximum number of contracts whose ABIs are read for the logs of one transaction. */
export const maxAbis = 20

/** The fields of a log that identify its contract and event. */
interface EmittedLog {
  readonly address: string
  readonly logIndex: number | null
}

/** Distinct emitters of decoded logs that have parameters, in the order of the logs. */
export const emittersOf = (
  logs: ReadonlyArray<EmittedLog>,
  events: ReadonlyMap<number, Pick<DecodedItem, "params">>,
): ReadonlyArray<string> => {
  const hasParams = (index: number | null) => index !== null && (events.get(index)?.params.length ?? 0) > 0
  return [...new Set(logs.filter(({ logIndex }) => hasParams(logIndex)).map(({ address }) => address))]
}
