import { library } from "@daybook/config/tsup"

export default library({
  // Node loads a few files in place of 240. A `Redacted` of the user is known by the module that made it.
  programs: { entries: ["promise", "webhook"], external: ["effect/Redacted"], folder: "node" },
})
