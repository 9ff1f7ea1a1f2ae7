/** The tables of figures in documents: each is between two comments, and generated from the results of its benchmark. */
import * as Figures from "./Figures.ts"
import * as Results from "./Results.ts"

const block = /(?<begin><!-- figures: (?<name>[^>]*?) -->\n)(?<body>[\s\S]*?)(?<end><!-- end of figures -->)/g

/** Contents between the comments of a table; empty if there are no results. */
export const body = (table: Figures.Table, results: Results.Results | undefined): string =>
  results === undefined ? "" : `\n${Results.provenance(results)}\n\n${table(Figures.make(results.rows)).join("\n")}\n\n`

/** Names of the tables in a document, in order. */
export const names = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(block)].map(({ groups }) => groups?.["name"] ?? "")

/** A document with each table replaced; a table without a new body is kept. */
export const replaced = (text: string, bodies: ReadonlyMap<string, string>): string =>
  text.replace(block, (found, begin: string, name: string, _body: string, end: string) => {
    const made = bodies.get(name)
    return made === undefined ? found : `${begin}${made}${end}`
  })
