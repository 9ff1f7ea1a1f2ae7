import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { library } from "@daybook/config/tsup"

const explorer = "../../apps/explorer/dist"
const swaggerUi = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))

/** The package ships the pages that it serves, with the licences of what they are made of. */
const copyPages = () => {
  cpSync(explorer, "dist/explorer", { recursive: true })
  mkdirSync("dist/docs", { recursive: true })
  for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
    const bytes = readFileSync(join(swaggerUi, name))
    writeFileSync(join("dist/docs", name), bytes)
    writeFileSync(join("dist/docs", `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
  // Their names differ from that of the package's own licence, which pnpm adds where no file has it.
  const texts = { LICENSE: "swagger-ui.LICENSE.txt", NOTICE: "swagger-ui.NOTICE.txt" }
  const bundle = "swagger-ui-bundle.js.LICENSE.txt"
  for (const [name, to] of [...Object.entries(texts), [bundle, bundle] as const]) {
    cpSync(join(swaggerUi, name), join("dist/docs", to))
  }
}

export default library({
  // The command behind `bin`, and the threads that it starts.
  programs: {
    entries: ["bin", "main", "indexer/Worker", "indexer/backfill/BackfillWorker", "store/sqlite/LogWorker"],
    external: ["tiny-secp256k1"],
  },
  onSuccess: copyPages,
})
