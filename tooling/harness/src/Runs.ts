/**
 * Number of runs of a law, or of a campaign of generated cases. `npm test` makes a part of them; with `DAYBOOK_LAWS=1` all are made:
 * `DAYBOOK_LAWS=1 pnpm laws --seeds 1 --from 1`, before a release.
 */

/** Part of all runs that is made: `DAYBOOK_LAWS`, or 15 %. */
export const usualPart = Number(process.env["DAYBOOK_LAWS"] ?? 0.15)

/** Number of runs that are made of all runs, at least one. */
export const usual = (all: number, part = usualPart): number => Math.max(1, Math.ceil(all * part))
