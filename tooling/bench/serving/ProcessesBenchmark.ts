/**
 * A page of 25 rows from `serve --processes N`. The load generator needs its own core: with fewer than three, its CPU time affects the
 * figures.
 */
import type * as Figures from "../Figures.ts"
import * as Loads from "./Loads.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as Tables from "./Tables.ts"
import * as WalletRequests from "./WalletRequests.ts"

const counts = [1, 2]

/** Measures each number of processes in turns. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, indexed } = setup
  const services: Array<ServiceProcess.ServiceProcess> = []
  try {
    const subjects: Array<Loads.Subject> = []
    for (const count of counts) {
      const service = await ServiceProcess.start(indexed, "serve", ["--processes", String(count)])
      services.push(service)
      const requests = WalletRequests.make(service.origin, indexed.key, addresses)
      subjects.push({ name: Tables.ofProcesses(count), requests })
    }
    await Loads.measure(figures, setup, subjects)
  } finally {
    for (const { stop } of services) await stop()
  }
}
