/** An attack on a running service: what it does, which bound must hold, and how its outcome is judged. */
import type { AttackedService, Measured, Options } from "./AttackedService.ts"
import * as Attacked from "./AttackedService.ts"

/** How large an attack is. */
export type Scale = "full" | "small"

/** What an attack saw. */
export interface Seen {
  /** What the service did, in a few words. */
  readonly behaviour: string
  /** What it must not have done. */
  readonly faults: ReadonlyArray<string>
}

/** An attack. */
export interface Scenario {
  readonly name: string
  /** The bound that holds. */
  readonly bound: string
  /** How the service is started; undefined for an attack without a process. */
  readonly service?: (scale: Scale) => Promise<Options & { readonly close?: () => Promise<void> }>
  readonly run: (service: AttackedService, scale: Scale) => Promise<Seen>
}

/** The outcome of an attack. */
export interface Outcome extends Seen {
  readonly name: string
  readonly bound: string
  readonly measured: Measured | undefined
}

/** Latency of `/health` that no attack may cause, in milliseconds. */
export const maxHealthMillis = 100

/** Resident memory that no attack may cause, in MiB; the heap is bounded by 1024. */
export const maxMebibytes = 1_400

/** Faults that any attack may show: of the process, and of what was measured. */
const faultsOf = (ended: string | undefined, measured: Measured, scale: Scale): ReadonlyArray<string> => {
  if (ended !== undefined) return [`the process ended: ${ended}`]
  const { failures, healthP99Millis, peakMebibytes } = measured
  return [
    ...failures.slice(0, 3).map((failure) => `/health failed: ${failure}`),
    ...(peakMebibytes > maxMebibytes ? [`memory of ${Math.round(peakMebibytes)} MiB`] : []),
    // The time of a small run says nothing: other tests run beside it.
    ...(scale === "full" && healthP99Millis > maxHealthMillis
      ? [`/health p99 of ${Math.round(healthP99Millis)} ms`]
      : []),
  ]
}

/** Runs an attack. */
export const run = async ({ bound, name, run: attack, service }: Scenario, scale: Scale): Promise<Outcome> => {
  if (service === undefined) {
    // Sound: an attack without a process does not use one.
    const seen = await attack(undefined as never, scale)
    return { name, bound, ...seen, measured: undefined }
  }
  const { close, ...options } = await service(scale)
  const attacked = await Attacked.start(options)
  try {
    await attacked.warmUp()
    const seen = await attack(attacked, scale)
    const measured = await attacked.measure()
    return { name, bound, ...seen, faults: [...seen.faults, ...faultsOf(attacked.ended(), measured, scale)], measured }
  } finally {
    await attacked.stop()
    await close?.()
  }
}
