/** Logs of a transaction, decoded and raw. */
import type { DecodedItem } from "@daybook/rest/promise"
import type { Log } from "@daybook/rpc/promise"
import { AddressLink } from "../../display/Links.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { Disclosure, Fact, Facts } from "../../display/Page.tsx"
import { useFirst } from "../../display/useFirst.tsx"
import { Hash } from "../../display/Values.tsx"
import { Decoded } from "./Decoded.tsx"
import { emittersOf, maxAbis } from "./Emitters.ts"
import { WordsTable } from "./WordsTable.tsx"

interface LogsProps {
  readonly logs: ReadonlyArray<Log>
  /** Decoded events by the index of the log in the block. */
  readonly events: ReadonlyMap<number, DecodedItem>
  /** Text for a log without a decoded event. */
  readonly undecoded: string
}

interface LogItemProps extends Pick<LogsProps, "undecoded"> {
  readonly log: Log
  readonly event: DecodedItem | undefined
  readonly withoutAbi: boolean
}

const LogItem = ({ event, log, undecoded, withoutAbi }: LogItemProps) => (
  <li className="log" data-log-index={log.logIndex}>
    <div className="log-head">
      <span className="log-index" title="Index of the log in the block">
        {log.logIndex}
      </span>
      <AddressLink address={log.address} isFull withCopy />
    </div>
    {event === undefined ? (
      <p className="muted">{undecoded}</p>
    ) : (
      <Decoded item={event} address={log.address} topics={log.topics} withoutAbi={withoutAbi} />
    )}
    <Disclosure title="Raw" isOpen={event === undefined}>
      <Facts>
        {log.topics.map((topic, at) => (
          <Fact name={`Topic ${at}`} key={at}>
            <Hash hash={topic} what={`topic ${at}`} />
          </Fact>
        ))}
        <Fact name="Data">
          <WordsTable hex={log.data} selectorBytes={0} label="data of the log" />
        </Fact>
      </Facts>
    </Disclosure>
  </li>
)

/** Number of logs shown initially and added by the button. */
const step = 50

export const Logs = ({ events, logs, undecoded }: LogsProps) => {
  const emitters = emittersOf(logs, events)
  const read = new Set(emitters.slice(0, maxAbis))
  const [shown, more] = useFirst(logs, step)
  return (
    <>
      {emitters.length === read.size ? null : (
        <p className="muted">
          Field names are read from the ABIs of the first {maxAbis} of {formatInteger(emitters.length)} contracts.
        </p>
      )}
      <ol className="logs">
        {shown.map((log) => (
          <LogItem
            key={log.logIndex}
            log={log}
            event={log.logIndex === null ? undefined : events.get(log.logIndex)}
            undecoded={undecoded}
            withoutAbi={!read.has(log.address)}
          />
        ))}
      </ol>
      {more}
    </>
  )
}
