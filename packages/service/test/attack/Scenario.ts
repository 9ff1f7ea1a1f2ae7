/** An attack on a running service: its actions, the limit that must hold, and how its outcome is judged. */
import type { AttackedService, Measured, Options } from "./AttackedService.ts"
import * as Attacked from "./AttackedService.ts"
import { sleep } from "./Client.ts"

/** How large an attack is. */
export type Scale = "full" | "small"

/** What an attack saw. */
export interface Seen {
  /** What the service did, in a few words. */
  readonly behaviour: string
  /** What it must not have done. */
  readonly faults: ReadonlyArray<string>
  /** A separate table, which is printed after that of all attacks. */
  readonly lines?: ReadonlyArray<string>
}

/** An attack. */
export interface Scenario {
  readonly name: string
  /** The bound that holds. */
  readonly bound: string
  /** The limits of keys are lifted, so that requests wait for each other: latencies are not judged, turns are. Default false. */
  readonly isWithoutLimits?: boolean
  /** Turn of the event loop that it may cause if Node alone exceeds the default limit, in milliseconds of the CPU. */
  readonly turnMillis?: number
  /** How the service is started; undefined for an attack without a process. */
  readonly service?: (scale: Scale) => Promise<Options & { readonly close?: () => Promise<void> }>
  readonly run: (service: AttackedService, scale: Scale) => Promise<Seen>
}

/** The outcome of an attack. */
export interface Outcome extends Seen {
  readonly name: string
  readonly bound: string
  readonly measured: Measured | undefined
  /** What was measured before the attack. */
  readonly before: Measured | undefined
}

/** Latency of `/health` that no attack may cause, in milliseconds. */
export const maxHealthMillis = 100

/** Latency of `/health` without an attack above which the machine is too busy to judge by latency, in milliseconds. */
const busyMillis = 20

/** Turn of the event loop that an attack may cause by default, in milliseconds of the CPU. */
const maxTurnMillis = 100

/** Resident memory that no attack may cause, in MiB; the heap is bounded by 1024. */
export const maxMebibytes = 1_400

/** Excessive latencies: of `/health`, or of the event loop alone if the machine is busy without an attack. */
const delaysOf = (
  { healthP99Millis, turnMillis }: Measured,
  before: Measured,
  scenario: Scenario,
): ReadonlyArray<string> => {
  if (turnMillis > (scenario.turnMillis ?? maxTurnMillis)) return [`a turn of ${Math.round(turnMillis)} ms`]
  const isSlow = before.healthP99Millis < busyMillis && healthP99Millis > maxHealthMillis
  return isSlow && scenario.isWithoutLimits !== true ? [`/health p99 of ${Math.round(healthP99Millis)} ms`] : []
}

/** Faults that any attack may cause: of the process, and of the measurements. */
const faultsOf = (
  { ended }: AttackedService,
  measured: Measured,
  before: Measured,
  scenario: Scenario,
  scale: Scale,
): ReadonlyArray<string> => {
  const end = ended()
  if (end !== undefined) return [`the process ended: ${end}`]
  const { failures, peakMebibytes } = measured
  return [
    ...failures.slice(0, 3).map((failure) => `/health failed: ${failure}`),
    ...(peakMebibytes > maxMebibytes ? [`memory of ${Math.round(peakMebibytes)} MiB`] : []),
    // The time of a small run is not judged: other tests run beside it.
    ...(scale === "full" ? delaysOf(measured, before, scenario) : []),
  ]
}

/** Time in which the service is measured without an attack. */
const idleMillis = 1_500

/** Runs an attack. */
export const run = async (scenario: Scenario, scale: Scale): Promise<Outcome> => {
  const { bound, name, run: attack, service } = scenario
  if (service === undefined) {
    // Sound: an attack without a process does not use one.
    const seen = await attack(undefined as never, scale)
    return { name, bound, ...seen, measured: undefined, before: undefined }
  }
  const { close, ...options } = await service(scale)
  const attacked = await Attacked.start(options)
  try {
    await attacked.warmUp()
    if (scale === "full") await sleep(idleMillis)
    const before = await attacked.measure()
    const seen = await attack(attacked, scale)
    const measured = await attacked.measure()
    const faults = [...seen.faults, ...faultsOf(attacked, measured, before, scenario, scale)]
    return { name, bound, ...seen, faults, measured, before }
  } finally {
    await attacked.stop()
    await close?.()
  }
}
