/** An attack on a running service: its actions, the limit that must hold, and the evaluation of its outcome. */
import type { AttackedService, Measured, Options } from "./AttackedService.ts"
import * as Attacked from "./AttackedService.ts"
import { sleep } from "./Client.ts"

export type Scale = "full" | "small"

/** Observations of an attack. */
export interface Observations {
  /** Short description of the behaviour of the service. */
  readonly behaviour: string
  /** Violations of the expected behaviour. */
  readonly faults: ReadonlyArray<string>
  /** A separate table, printed after the table of all attacks. */
  readonly lines?: ReadonlyArray<string>
}

export interface Scenario {
  readonly name: string
  /** The limit that must hold. */
  readonly bound: string
  /**
   * True if the limits of API keys are disabled, so that requests queue: latencies are not evaluated, turns of the event loop are.
   * Default false.
   */
  readonly isWithoutLimits?: boolean
  /** Longest permitted turn of the event loop in milliseconds of CPU time, for a scenario in which Node alone exceeds the default. */
  readonly turnMillis?: number
  /** Options to start the service; undefined for an attack without a process. */
  readonly service?: (scale: Scale) => Promise<Options & { readonly close?: () => Promise<void> }>
  readonly run: (service: AttackedService, scale: Scale) => Promise<Observations>
}

export interface Outcome extends Observations {
  readonly name: string
  readonly bound: string
  readonly measured: Measured | undefined
  readonly before: Measured | undefined
}

/** Upper limit of the latency of `/health` during an attack, in milliseconds. */
const maxHealthMillis = 100

/** Latency of `/health` without an attack, in milliseconds, above which latencies are not evaluated because the machine is busy. */
const busyMillis = 20

/** Default upper limit of a turn of the event loop during an attack, in milliseconds of CPU time. */
const maxTurnMillis = 100

/** Upper limit of resident memory during an attack, in MiB; the heap is limited to 1024. */
const maxMebibytes = 1_400

/** Excessive latencies of `/health`, or only of the event loop if the machine is busy without an attack. */
const delaysOf = (
  { healthP99Millis, turnMillis }: Measured,
  before: Measured,
  scenario: Scenario,
): ReadonlyArray<string> => {
  if (turnMillis > (scenario.turnMillis ?? maxTurnMillis)) return [`a turn of ${Math.round(turnMillis)} ms`]
  const isSlow = before.healthP99Millis < busyMillis && healthP99Millis > maxHealthMillis
  return isSlow && scenario.isWithoutLimits !== true ? [`/health p99 of ${Math.round(healthP99Millis)} ms`] : []
}

/** Faults that any attack may cause, from the process and the measurements. */
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
    // Latencies of a small run are not evaluated, because other tests run concurrently.
    ...(scale === "full" ? delaysOf(measured, before, scenario) : []),
  ]
}

/** Duration of the measurement without an attack. */
const idleMillis = 1_500

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
