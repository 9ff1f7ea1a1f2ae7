/** Labels of chart axes: instants in the format of all other pages, and the room that labels need. Pure. */

/** Steps between labels of instants, in whole seconds like block timestamps. */
export const timeSteps: ReadonlyArray<number> = [
  1, 5, 10, 15, 30, 60, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
  31_536_000,
]

/** Steps between labels of blocks. */
export const blockSteps: ReadonlyArray<number> = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000]

const pad = (value: number): string => String(value).padStart(2, "0")

const day = 86_400
const minute = 60

/** An instant of the axis in local time, as `2026-01-31`, `01-31 15:45` or `15:45:07` depending on the step to the next label. */
export const formatInstant = (seconds: number, step: number): string => {
  const time = new Date(seconds * 1_000)
  const date = `${pad(time.getMonth() + 1)}-${pad(time.getDate())}`
  if (step >= day) return `${time.getFullYear()}-${date}`
  const clock = `${pad(time.getHours())}:${pad(time.getMinutes())}`
  return step >= minute ? `${date} ${clock}` : `${clock}:${pad(time.getSeconds())}`
}

/** Room for the labels of a vertical axis, in pixels: the widest label plus the tick between label and chart. */
export const roomFor = (labels: ReadonlyArray<string>, widthOf: (label: string) => number): number =>
  Math.ceil(Math.max(40, ...labels.map(widthOf))) + 20
