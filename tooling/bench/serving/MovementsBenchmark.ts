/**
 * A page of 25 movements compared with a page of 25 transactions of the same wallets, from the same service. Wallets whose first page has
 * fewer movements, such as contracts without holdings, are measured separately: such a page searches many positions.
 */
import { Agent } from "node:http"
import type * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import * as Loads from "./Loads.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Indexed, Setup } from "./Setup.ts"
import * as Tables from "./Tables.ts"
import * as WalletRequests from "./WalletRequests.ts"

/** The wallets whose first page is full of movements. */
const fullPages = async (
  origin: string,
  key: string,
  addresses: ReadonlyArray<string>,
): Promise<ReadonlySet<string>> => {
  const agent = new Agent({ keepAlive: true })
  const full = new Set<string>()
  for (const [at, request] of WalletRequests.make(origin, key, addresses, "movements").entries()) {
    const page = JSON.parse(await LoadGenerator.send(agent, request)) as { readonly result: ReadonlyArray<unknown> }
    if (page.result.length === WalletRequests.pageSize) full.add(addresses[at]!)
  }
  agent.destroy()
  return full
}

const subjectsOf = async (
  { origin, pid }: ServiceProcess.ServiceProcess,
  { key, suffix }: Indexed,
  addresses: ReadonlyArray<string>,
): Promise<ReadonlyArray<Loads.Subject>> => {
  const full = await fullPages(origin, key, addresses)
  const requestsFor = (isFull: boolean, operation: "verbose" | "movements") =>
    WalletRequests.make(
      origin,
      key,
      addresses.filter((address) => full.has(address) === isFull),
      operation,
    )
  const all: ReadonlyArray<Loads.Subject> = [
    { name: `${Tables.transactions}${suffix}`, requests: requestsFor(true, "verbose"), pid },
    { name: `${Tables.movements}${suffix}`, requests: requestsFor(true, "movements"), pid },
    { name: `${Tables.fewerMovements}${suffix}`, requests: requestsFor(false, "movements"), pid },
  ]
  return all.filter(({ requests }) => requests.length > 0)
}

/** Measures the operations in turns. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const services: Array<ServiceProcess.ServiceProcess> = []
  try {
    const subjects: Array<Loads.Subject> = []
    for (const indexed of setup.all) {
      const service = await ServiceProcess.start(indexed, "serve")
      services.push(service)
      subjects.push(...(await subjectsOf(service, indexed, setup.addresses)))
    }
    await Loads.measure(figures, setup, subjects)
  } finally {
    for (const { stop } of services) await stop()
  }
}
