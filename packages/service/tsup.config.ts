import { cpSync } from "node:fs"
import { library } from "@daybook/config/tsup"

const built = "../../apps/explorer/dist"

/** The package ships the pages that it serves. */
const copyExplorer = () => {
  cpSync(built, "dist/explorer", { recursive: true })
  return Promise.resolve()
}

export default library({ onSuccess: copyExplorer })
