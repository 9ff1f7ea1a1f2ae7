/**
 * Set-up file of a mutation run: loads the mutated sources before the tests. Stryker runs a mutant that is decided when its source loads
 * against every test, but only against one test if that test loads the source.
 */
const sources: ReadonlyArray<string> = JSON.parse(process.env["DAYBOOK_MUTATION_SOURCES"] ?? "[]")

for (const source of sources) await import(/* @vite-ignore */ source)

export {}
