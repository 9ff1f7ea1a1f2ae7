/** Frames of a transaction as returned by `callTracer`, for oracles. It shares no code with the service. */

/** A call with its nested calls. */
export interface RawFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly error?: string
  readonly calls?: ReadonlyArray<RawFrame>
}

/** A frame below the root; all frames below a failed frame are failed. */
export type InnerFrame = RawFrame & { readonly isFailed: boolean }

/** The frames below a root, in the order of the calls. */
export const below = (root: RawFrame): ReadonlyArray<InnerFrame> => {
  const all: Array<InnerFrame> = []
  const walk = ({ calls = [] }: RawFrame, isFailed: boolean): void => {
    for (const call of calls) {
      const fails = isFailed || call.error !== undefined
      all.push({ ...call, isFailed: fails })
      walk(call, fails)
    }
  }
  walk(root, root.error !== undefined)
  return all
}
