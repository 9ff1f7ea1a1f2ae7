/** A receiver of a wallet's events: stores a table by row and revision, and reconnects with the last cursor that it processed. */
import * as WalletEvent from "@daybook/schema/WalletEvent"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(WalletEvent.WalletEvent)

/** A row of the table. */
export interface TableRow {
  readonly revision: number
  readonly blockHash: string
  readonly event: Extract<WalletEvent.WalletEvent, { readonly data: { readonly row: string } }>
}

/** Status of a rejected stream. */
export interface Refused {
  readonly status: number
  readonly text: string
}

/** Texts of complete events in a text that may end within one, and the rest. */
const framesOf = (text: string): readonly [frames: ReadonlyArray<string>, rest: string] => {
  const parts = text.split("\n\n")
  return [parts.slice(0, -1), parts.at(-1)!]
}

const fieldOf = (frame: string, name: string): string | undefined =>
  frame
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

/** True for the last event to wait for, by its contents or index. */
export type IsLast = (event: WalletEvent.WalletEvent, count: number) => boolean

/** A receiver of the events of a wallet. */
export class Receiver {
  readonly table = new Map<string, TableRow>()
  /** Events in order of arrival. */
  readonly events: Array<WalletEvent.WalletEvent> = []
  cursor = ""
  /** Base URL to connect to. */
  url: string
  key: string
  /** Hash of the block up to which all events were received. */
  covered = ""

  constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  /** Applies an event with its id. */
  take(event: WalletEvent.WalletEvent, id: string): void {
    this.events.push(event)
    this.cursor = id
    if (event.type === "covered") this.covered = event.data.hash
    if (event.type === "block.voided") {
      for (const [row, { blockHash }] of this.table) if (blockHash === event.data.hash) this.table.delete(row)
    }
    if (event.type !== "wallet.transaction" && event.type !== "wallet.movement") return
    const { data } = event
    const known = this.table.get(data.row)
    if (known !== undefined && known.revision > data.revision) return
    const { block_hash: blockHash } = "transaction" in data ? data.transaction : data.movement
    this.table.set(data.row, { revision: data.revision, blockHash, event })
  }

  /**
   * Connects and processes events until one fulfils the condition, then closes the connection. Returns the status if the stream was
   * rejected.
   */
  async listen(isLast: IsLast): Promise<Refused | undefined> {
    const abort = new AbortController()
    const headers = new Headers({ "x-api-key": this.key })
    if (this.cursor !== "") headers.set("last-event-id", this.cursor)
    const response = await fetch(this.url, { headers, signal: abort.signal })
    if (response.status !== 200) return { status: response.status, text: await response.text() }
    let text = ""
    let count = 0
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body!) {
        const [frames, rest] = framesOf(text + decoder.decode(chunk, { stream: true }))
        text = rest
        for (const frame of frames) {
          const data = fieldOf(frame, "data")
          if (data === undefined) continue
          const event = decode(JSON.parse(data))
          this.take(event, fieldOf(frame, "id")!)
          if (isLast(event, ++count)) return undefined
        }
      }
    } finally {
      abort.abort()
    }
    return undefined
  }
}
