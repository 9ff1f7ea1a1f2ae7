/** Pages of 25 transactions from a filled store: read and serialised in this process, and requested from `daybook serve`. */
import { Effect } from "effect"
import * as WalletTransactions from "../../../packages/service/src/projection/WalletTransactions.ts"
import * as PageWriter from "../../../packages/service/src/server/rest/PageWriter.ts"
import type { ChainReader } from "../../../packages/service/src/store/ChainReader.ts"
import * as LoadGenerator from "../serving/LoadGenerator.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as FilledStore from "./FilledStore.ts"

type Order = "ASC" | "DESC"
const orderOf = (turn: number): Order => (turn % 2 === 0 ? "DESC" : "ASC")

const readPage = (reader: ChainReader, address: string, order: Order) =>
  Effect.map(
    reader.snapshot((snapshot) =>
      snapshot.page(WalletTransactions.projection, {
        key: address,
        from: 0,
        to: Number.MAX_SAFE_INTEGER,
        order,
        after: null,
        limit: 25,
        internal: false,
      }),
    ),
    ({ rows }) =>
      PageWriter.page(
        rows,
        { cursor: null, page: 0, pageSize: 25 },
        { label: () => null, include: false, empty: "string" },
      ).bytes.length,
  )

/** Milliseconds per page, without the first tenth. */
export const read = Effect.fnUntraced(function* (
  reader: ChainReader,
  walletOf: (turn: number) => string,
  pages: number,
) {
  const millis: Array<number> = []
  for (let turn = 0; turn < pages; turn++)
    millis.push(yield* FilledStore.timed(readPage(reader, walletOf(turn), orderOf(turn))))
  return millis.slice(pages / 10)
})

/** Requests pages from `daybook serve`, one after the other. */
export const served = async (
  configuration: ServiceProcess.Configuration,
  walletOf: (turn: number) => string,
  pages: number,
): Promise<LoadGenerator.Load> => {
  const service = await ServiceProcess.start(configuration, "serve")
  const path = (turn: number) => `/api/v2.2/${walletOf(turn)}/verbose?chain=0x7a69&limit=25&order=${orderOf(turn)}`
  const requests = Array.from({ length: pages }, (_, turn) => ({
    url: new URL(path(turn), service.origin),
    headers: { "x-api-key": configuration.key },
  }))
  const after = (count: number) => {
    let sent = 0
    return () => sent++ >= count
  }
  try {
    await LoadGenerator.saturate(requests.toReversed(), 1, after(pages / 10))
    return await LoadGenerator.saturate(requests, 1, after(pages))
  } finally {
    await service.stop()
  }
}
