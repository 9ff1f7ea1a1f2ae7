/**
 * Ways to leave out of a document what its block and its transaction repeat, and to put it back: a control character, which JSON text
 * never contains, stands for the members that are left out. Measured by `layout/run.ts`; the service stores whole texts.
 */

/** What a document repeats. */
export interface Repeated {
  readonly hash: string
  readonly index: string
  readonly time: string
  readonly number: string
  readonly blockHash: string
}

/** The members that are left out, by the character that stands for them. */
type Parts = ReadonlyArray<readonly [mark: string, text: string]>

const ofLogs = ({ blockHash, hash, index, number, time }: Repeated): Parts => [
  ["\u0001", `,"transaction_hash":"${hash}","transaction_index":"${index}","address":"`],
  ["\u0002", `"block_timestamp":"${time}","block_number":"${number}","block_hash":"${blockHash}","decoded_event":`],
  ["\u0003", `{"transaction_hash":"${hash}","block_number":${number},"block_hash":"${blockHash}","type":"`],
]

const ofBlock = ({ blockHash, number, time }: Repeated): Parts => [
  ["\u0004", `"block_timestamp":"${time}","block_number":"${number}","block_hash":"${blockHash}","logs":[`],
]

const leaveOut = (text: string, parts: Parts): string =>
  parts.reduce((shorter, [mark, part]) => shorter.replaceAll(part, mark), text)

/** A mark is short, so that its text is found by the fastest search there is. */
const putBack = (text: string, parts: Parts): string =>
  parts.reduce((longer, [mark, part]) => (longer.includes(mark) ? longer.split(mark).join(part) : longer), text)

const valueAfter = (text: string, key: string, from: number): string => {
  const start = text.indexOf(key, from) + key.length
  return text.slice(start, text.indexOf('"', start))
}

const inputEnd = '"receipt_cumulative_gas_used":"'

/** What a whole document, or one that lacks nothing of its block, repeats. */
export const repeatedIn = (text: string): Repeated => {
  // Call data is the only member of any length before these.
  const from = text.indexOf(inputEnd)
  return {
    hash: text.slice(9, 75),
    index: valueAfter(text, '"transaction_index":"', 75),
    time: valueAfter(text, '"block_timestamp":"', from),
    number: valueAfter(text, '"block_number":"', from),
    blockHash: valueAfter(text, '"block_hash":"', from),
  }
}

/** A way to store a text. */
export interface Variant {
  readonly name: string
  /** Putting back needs the row of the block. */
  readonly needsBlock: boolean
  readonly leaveOut: (text: string) => string
  readonly putBack: (text: string, block: Pick<Repeated, "blockHash" | "number" | "time">) => string
}

export const variants: ReadonlyArray<Variant> = [
  { name: "whole", needsBlock: false, leaveOut: (text) => text, putBack: (text) => text },
  {
    name: "logs and calls without what the document states",
    needsBlock: false,
    leaveOut: (text) => leaveOut(text, ofLogs(repeatedIn(text))),
    putBack: (text) => putBack(text, ofLogs(repeatedIn(text))),
  },
  {
    name: "and the document without what the block states",
    needsBlock: true,
    leaveOut: (text) => {
      const repeated = repeatedIn(text)
      return leaveOut(text, [...ofLogs(repeated), ...ofBlock(repeated)])
    },
    putBack: (text, block) => {
      const repeated = { ...block, hash: text.slice(9, 75), index: valueAfter(text, '"transaction_index":"', 75) }
      return putBack(text, [...ofLogs(repeated), ...ofBlock(repeated)])
    },
  },
]
