/**
 * The settings that blocks were indexed with, and from which block on. A change applies to the next block and not to stored ones,
 * which the status of the chain states. Pure.
 */
import type { AppliedSetting, AppliedSettings } from "../store/StatusBoard.ts"

/**
 * The settings in force, by name.
 */
export type Settings = Readonly<Record<AppliedSetting["name"], string>>

/**
 * A setting that has another value than the blocks before.
 */
export interface Change {
  readonly name: AppliedSetting["name"]
  readonly before: string
  readonly now: string
  /** First block that is indexed with the new value. */
  readonly from: number
}

/**
 * Settings before any was recorded: whether traces were stored is all that is known of them.
 */
export const fromTraces = (traces: string | null): AppliedSettings =>
  traces === null ? [] : [{ name: "traces", value: traces === "off" ? "off" : "on" }]

/**
 * The recorded settings once those in force apply to the blocks above `head`; `null` while the index is empty.
 */
export const apply = (
  before: AppliedSettings,
  settings: Settings,
  head: number | null,
): { readonly settings: AppliedSettings; readonly changes: ReadonlyArray<Change> } => {
  const changes: Array<Change> = []
  const applied = (Object.keys(settings) as ReadonlyArray<AppliedSetting["name"]>).map((name): AppliedSetting => {
    const value = settings[name]
    const found = before.find((setting) => setting.name === name)
    if (head === null || found === undefined) return { name, value }
    if (found.value === value) return found
    const from = head + 1
    changes.push({ name, before: found.value, now: value, from })
    return { name, value, from }
  })
  return { settings: applied, changes }
}

/**
 * The recorded settings once the blocks above `head` were removed: those that are indexed again have the settings in force.
 */
export const unwound = (settings: AppliedSettings, head: number | null): AppliedSettings =>
  settings.map((setting) => {
    const { from, name, value } = setting
    if (from === undefined || (head !== null && from <= head + 1)) return setting
    return head === null ? { name, value } : { name, value, from: head + 1 }
  })
