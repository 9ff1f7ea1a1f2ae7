/**
 * Sums metrics of several processes in the text format of Prometheus. Pure.
 */

/** The lines of a metric: its comments and the values of its samples by name and labels. */
interface Family {
  readonly comments: ReadonlyArray<string>
  readonly samples: Map<string, number>
}

const familyName = /^# (?:HELP|TYPE) (\S+)/

/** Adds the lines of a text to the families. */
const add = (families: Map<string, Family>, text: string): void => {
  let comments: Array<string> = []
  let samples = new Map<string, number>()
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) {
      const name = familyName.exec(line)?.[1]
      if (name === undefined) continue
      const known = families.get(name)
      if (known === undefined) families.set(name, { comments: (comments = [line]), samples: (samples = new Map()) })
      else if (known.comments === comments) comments.push(line)
      else ({ samples } = known)
      continue
    }
    const at = line.lastIndexOf(" ")
    if (at < 0) continue
    const series = line.slice(0, at)
    samples.set(series, (samples.get(series) ?? 0) + Number(line.slice(at + 1)))
  }
}

const formatValue = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"

/** Sums samples of several texts into one; a sample of a single text is unchanged. */
export const sum = (texts: ReadonlyArray<string>): string => {
  if (texts.length === 1) return texts[0]!
  const families = new Map<string, Family>()
  for (const text of texts) add(families, text)
  const lines = [...families.values()].flatMap(({ comments, samples }) => [
    ...comments,
    ...[...samples].map(([series, value]) => `${series} ${formatValue(value)}`),
  ])
  return `${lines.join("\n")}\n`
}
