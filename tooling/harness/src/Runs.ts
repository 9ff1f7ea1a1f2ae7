/**
 * Number of runs of a law, or of a campaign of generated cases. Tests make 15 % of them. `DAYBOOK_LAWS=1` makes all, as
 * `DAYBOOK_LAWS=1 pnpm laws --seeds 1 --from 1` does before a release.
 */

/** Reads the part of all runs from `DAYBOOK_LAWS`. Throws `RangeError` unless it is above 0 and at most 1, as no run would be made. */
export const readPart = (text: string | undefined): number => {
  const part = Number(text ?? 0.15)
  if (part > 0 && part <= 1) return part
  throw new RangeError(`Invalid DAYBOOK_LAWS: expected a number above 0 and at most 1, received "${text}".`)
}

/** Part of all runs that is made. */
export const usualPart = readPart(process.env["DAYBOOK_LAWS"])

/** Number of runs that are made of all runs, at least one. */
export const usual = (all: number, part = usualPart): number => Math.max(1, Math.ceil(all * part))
