/**
 * Formats events as server-sent events with the interface's names. Pure.
 *
 * Source: decision 0073.
 */
import { rowId } from "@daybook/schema/RowId"
import type { ContractDecoder } from "../../contract/ContractDecoder.ts"
import type { Label } from "../../label/Label.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import type { Event, GapEvent, PositionedEvent, Step } from "../../push/WalletEvents.ts"
import type { BlockRef, LinkedBlock } from "../../block/BlockRows.ts"
import type { PageRow } from "../../store/ChainReader.ts"
import * as LedgerText from "./LedgerText.ts"
import * as PageWriter from "./PageWriter.ts"

/** How to format events. */
export interface Options {
  readonly chain: { readonly name: string; readonly id: number }
  readonly wallet: string
  /** Selection of the stream, to which its cursors belong. */
  readonly selection: string
  readonly label: Label
  readonly empty: PageWriter.Options["empty"]
  readonly contractDecoder: ContractDecoder
  readonly decode: (row: PageRow, contractDecoder: ContractDecoder) => PageRow
}

/** Members of an event's data besides its row, and the text of the row with its name. */
interface Written {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly row?: readonly [name: string, text: string]
}

const ofBlock = (type: string, { hash, number }: BlockRef): Written => ({
  type,
  data: { number: number.toString(), hash },
})

const ofGap = ({ from, reason, to, transaction }: GapEvent): Written => ({
  type: "gap",
  data: { from_block: from.toString(), to_block: to.toString(), reason, transaction_hash: transaction },
})

type Facts = Pick<Step, "serial" | "finalized">

const write = (event: Event, { finalized, serial: revision }: Facts, options: Options): Written => {
  const { chain, contractDecoder, decode, empty, label, wallet: address } = options
  const facts = ({ number }: LinkedBlock, row: string) => ({
    address,
    row,
    revision,
    final: finalized !== null && number <= finalized,
  })
  switch (event._tag) {
    case "Transaction": {
      const record = PageWriter.record(decode(event.row, contractDecoder), {
        label,
        include: false,
        empty,
      })
      return {
        type: "wallet.transaction",
        data: facts(event.block, rowId({ hash: PageWriter.hashOf(event.row.body), block_hash: event.block.hash })),
        row: ["transaction", record],
      }
    }
    case "Movement": {
      const movement = LedgerText.movement(event.row, label, chain.id)
      return {
        type: "wallet.movement",
        data: facts(event.block, rowId({ ...movement, movement_index: event.row.index })),
        row: ["movement", JSON.stringify(movement)],
      }
    }
    case "Voided":
      return ofBlock("block.voided", event.block)
    case "Final":
      return ofBlock("block.final", event.block)
    case "Covered":
      return ofBlock("covered", event.block)
    case "Gap":
      return ofGap(event.gap)
  }
}

/** An event as JSON without line breaks, with its type and cursor. */
export interface EventText {
  readonly type: string
  readonly cursor: string
  readonly json: string
}

const textOf = ({ event, position }: PositionedEvent, timestamp: string, facts: Facts, options: Options): EventText => {
  const { data, row, type } = write(event, facts, options)
  const cursor = EventPosition.format(position, options.selection)
  const members = JSON.stringify({ chain: options.chain.name, cursor, ...data }).slice(0, -1)
  const text = row === undefined ? "" : `,"${row[0]}":${row[1]}`
  return { type, cursor, json: `{"type":"${type}","timestamp":"${timestamp}","data":${members}${text}}}` }
}

/** The events of a step as JSON. */
export const events = (
  { finalized, sent, serial }: Step,
  nowMillis: number,
  options: Options,
): ReadonlyArray<EventText> => {
  const timestamp = new Date(nowMillis).toISOString()
  return sent.map((one) => textOf(one, timestamp, { finalized, serial }, options))
}

/** One event as a server-sent event. */
export const frame = ({ cursor, json, type }: EventText): string => `id: ${cursor}\nevent: ${type}\ndata: ${json}\n\n`

/** Time after which a client reconnects, in milliseconds. */
export const opening = "retry: 2000\n\n"

/** A comment that keeps proxies from closing the connection. */
export const heartbeat = ": waiting\n\n"
