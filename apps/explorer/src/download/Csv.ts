/** Rows as comma-separated values. A text that a spreadsheet would take for a formula is prefixed with an apostrophe. Pure. */

/** A cell: untrusted text, or a value of a known form. */
export type Cell = string | number | bigint | boolean | null | undefined

/** Numbers keep their sign. */
const isNumber = /^-?\d+(?:\.\d+)?$/

const harmless = (text: string): string =>
  !isNumber.test(text) && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const textOf = (cell: Cell): string => (cell === null || cell === undefined ? "" : harmless(String(cell)))

/** A line of cells. */
export const line = (cells: ReadonlyArray<Cell>): string => `${cells.map((cell) => quoted(textOf(cell))).join(",")}\r\n`
