import { library } from "@daybook/config/tsup"

export default library()
