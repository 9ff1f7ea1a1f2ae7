/** The calls of a transaction as an expandable tree. A large tree is folded below its first levels. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useState } from "react"
import { formatInteger } from "../../display/Numbers.ts"
import { AddressLink } from "../../display/Links.tsx"
import { Badge, ErrorNotice, Fact, Facts, Notice, Skeleton } from "../../display/Page.tsx"
import { useFirst } from "../../display/useFirst.tsx"
import { Bytes, Count, Ether } from "../../display/Values.tsx"
import { isInvalidResponse, kindOf } from "../../service/Errors.ts"
import { FrameCall } from "./FrameCall.tsx"
import { IndexedCalls } from "./IndexedCalls.tsx"
import { useReason } from "./useReason.ts"
import { countOf, useTrace } from "./useTrace.ts"
import { isolated } from "../../text/VisibleText.ts"
import { ForeignText } from "../../text/ForeignText.tsx"

/** Maximum number of calls in a tree that is shown expanded. */
const maxOpen = 60

/** Levels that are expanded in a larger tree, in addition to those that lead to a failure, and the maximum depth shown. */
const openLevels = 2
const maxLevels = 400

/** Inner calls shown initially per call and added by the button, and calls of a tree shown before one is expanded. */
const step = 50
const maxShown = 150

interface FrameProps {
  readonly frame: CallFrame
  readonly level: number
  /** Frames that are initially expanded. */
  readonly opened: ReadonlySet<CallFrame>
}

/** The frames of a tree that are initially expanded. */
const openedOf = (root: CallFrame, isSmall: boolean): ReadonlySet<CallFrame> => {
  const opened = new Set<CallFrame>()
  let [frames, shown]: [ReadonlyArray<CallFrame>, number] = [[root], 1]
  for (let level = 0; frames.length > 0; level++) {
    frames = frames.flatMap((frame) => {
      const calls = (frame.calls ?? []).slice(0, step)
      const isOpen = isSmall || level < openLevels || frame.error != null
      if (!isOpen || shown + calls.length > maxShown) return []
      opened.add(frame)
      shown += calls.length
      return calls
    })
  }
  return opened
}

const FrameFacts = ({ frame }: { readonly frame: CallFrame }) => (
  <Facts>
    <Fact name="From">
      <AddressLink address={frame.from} isFull withCopy />
    </Fact>
    {frame.gas === undefined || frame.gas === null ? null : (
      <Fact name="Gas">
        <Count value={frame.gasUsed ?? 0n} /> of <Count value={frame.gas} />
      </Fact>
    )}
    <Fact name="Input">
      <Bytes hex={frame.input ?? "0x"} label="input of the call" />
    </Fact>
    <Fact name="Output">
      <Bytes hex={frame.output ?? "0x"} label="output of the call" />
    </Fact>
  </Facts>
)

const FrameHead = ({ frame }: Pick<FrameProps, "frame">) => {
  const reason = useReason(frame)
  return (
    <>
      <Badge tone={frame.error == null ? "neutral" : "bad"}>
        <ForeignText text={frame.type} />
      </Badge>{" "}
      {frame.to === null || frame.to === undefined ? "no contract" : <AddressLink address={frame.to} />}{" "}
      {(frame.input ?? "0x") === "0x" ? null : <FrameCall frame={frame} />}{" "}
      {frame.value === undefined || frame.value === null || frame.value === 0n ? null : <Ether amount={frame.value} />}{" "}
      {reason === undefined ? null : <ForeignText className="reason" text={reason} />}
      {frame.gasUsed === undefined || frame.gasUsed === null ? null : (
        <span className="muted frame-gas">
          <Count value={frame.gasUsed} /> gas
        </span>
      )}
    </>
  )
}

const Frame = ({ frame, level, opened }: FrameProps) => {
  const calls = frame.calls ?? []
  const [shown, more] = useFirst(calls, step)
  const [isOpen, setOpen] = useState(opened.has(frame))
  const [hasDetails, setDetails] = useState(false)
  return (
    <li className="frame">
      <div className="frame-head">
        {calls.length === 0 ? null : (
          <button
            type="button"
            className="fold"
            aria-expanded={isOpen}
            aria-label={`${calls.length === 1 ? "1 call" : `${calls.length} calls`} inside`}
            onClick={() => setOpen(!isOpen)}
          />
        )}
        <FrameHead frame={frame} />
        <button
          type="button"
          className="link"
          aria-expanded={hasDetails}
          aria-label={`Details of ${isolated(frame.type)}`}
          onClick={() => setDetails(!hasDetails)}
        >
          details
        </button>
      </div>
      {hasDetails ? <FrameFacts frame={frame} /> : null}
      {calls.length === 0 || !isOpen ? null : level >= maxLevels ? (
        <p className="muted">Deeper calls are not shown here.</p>
      ) : (
        <ul className="frames">
          {shown.map((call, at) => (
            <Frame key={at} frame={call} level={level + 1} opened={opened} />
          ))}
          {more === null ? null : <li>{more}</li>}
        </ul>
      )}
    </li>
  )
}

interface TraceProps {
  readonly hash: string
  readonly sender: string
  readonly block: bigint
  readonly blockHash: string
  /** The outermost call according to the transaction and its receipt. */
  readonly outermost: CallFrame
}

/**
 * The outermost call with the gas of the transaction, as geth reports it. Other nodes exclude the intrinsic gas, and anvil reports the gas
 * used by the block up to the transaction.
 */
const rootOf = (frame: CallFrame, { outermost: { gas, gasUsed } }: TraceProps): CallFrame =>
  gas === null || gas === undefined
    ? { ...frame, gasUsed: gasUsed ?? null }
    : { ...frame, gas, gasUsed: gasUsed ?? null }

/** Whether the node rejects the method or the tracer, or returns struct logs instead of calls. */
const hasNoTracer = (error: unknown): boolean => {
  const kind = kindOf(error)
  return (
    kind === "methodUnsupported" || kind === "unauthorized" || isInvalidResponse(error) || /tracer/i.test(String(error))
  )
}

export const Trace = (props: TraceProps) => {
  const { block, blockHash, hash, outermost, sender } = props
  const { data, error, refetch } = useTrace(hash, blockHash)
  if (data !== undefined) {
    const count = countOf(data)
    const root = rootOf(data, props)
    return (
      <>
        <p className="muted">
          {formatInteger(count)} {count === 1 ? "call" : "calls"}
          {count > maxOpen ? ", folded: open the ones you need" : ""}
        </p>
        <ul className="frames">
          <Frame frame={root} level={0} opened={openedOf(root, count <= maxOpen)} />
        </ul>
      </>
    )
  }
  if (error === null) return <Skeleton label="the trace" rows={4} />
  const kind = kindOf(error)
  if (kind === "pruned") {
    return (
      <Notice title="No trace">
        <p>The node has discarded the state of this block. An archive node has it.</p>
      </Notice>
    )
  }
  return hasNoTracer(error) ? (
    <IndexedCalls place={{ hash, sender, block, blockHash }} outermost={outermost} />
  ) : (
    <ErrorNotice error={error} onRetry={refetch} />
  )
}
