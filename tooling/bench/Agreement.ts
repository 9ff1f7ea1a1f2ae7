/** Verifies that the subjects of a benchmark do the same work: each result must equal that of the first subject. */
export type Agreement = (what: string, subject: string, result: unknown) => void

/** Compares the results of subjects for each requested input; throws if two differ. */
export const make = (): Agreement => {
  const first = new Map<string, { readonly subject: string; readonly text: string }>()
  return (what, subject, result) => {
    const text = JSON.stringify(result)
    const known = first.get(what)
    if (known === undefined) first.set(what, { subject, text })
    else if (known.text !== text) {
      throw new Error(`Different results of ${what}: ${known.subject} has ${known.text}, ${subject} has ${text}.`)
    }
  }
}
