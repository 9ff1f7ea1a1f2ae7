/**
 * A tracer that keeps its spans in memory, for tests of the spans of a client.
 */
import { Tracer } from "effect"

/** A tracer, and the spans it has created so far, in order. */
export interface RecordingTracer {
  readonly tracer: Tracer.Tracer
  readonly spans: ReadonlyArray<Tracer.NativeSpan>
}

/** Makes a tracer that records. */
export const make = (): RecordingTracer => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  return { tracer, spans }
}
