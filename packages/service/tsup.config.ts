import { cpSync, existsSync, rmSync } from "node:fs"
import { library } from "@daybook/config/tsup"

const built = "../../apps/explorer/dist"

/** The package ships the pages that it serves. */
const copyExplorer = () => {
  rmSync("explorer", { recursive: true, force: true })
  if (existsSync(built)) cpSync(built, "explorer", { recursive: true })
  return Promise.resolve()
}

export default library({ onSuccess: copyExplorer })
