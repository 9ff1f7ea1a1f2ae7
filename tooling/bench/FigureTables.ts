/** The tables of figures in documents: each stands between two comments, and is made from the results of its benchmark. */
import * as Figures from "./Figures.ts"
import * as Results from "./Results.ts"

const block = /(?<begin><!-- figures: (?<name>[^>]*?) -->\n)(?<body>[\s\S]*?)(?<end><!-- end of figures -->)/g

/** What stands between the comments of a table: nothing where there are no results. */
export const body = (table: Figures.Table, results: Results.Results | undefined): string =>
  results === undefined ? "" : `\n${Results.provenance(results)}\n\n${table(Figures.make(results.rows)).join("\n")}\n\n`

/** Names of the tables in a document, in their order. */
export const names = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(block)].map(({ groups }) => groups?.["name"] ?? "")

/** A document with each table replaced; one without a body of its own stays. */
export const replaced = (text: string, bodies: ReadonlyMap<string, string>): string =>
  text.replace(block, (found, begin: string, name: string, _body: string, end: string) => {
    const made = bodies.get(name)
    return made === undefined ? found : `${begin}${made}${end}`
  })
