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
  for (const name of ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"]) {
    cpSync(join(swaggerUi, name), join("dist/docs", name))
  }
  return Promise.resolve()
}

export default library({ onSuccess: copyPages })
