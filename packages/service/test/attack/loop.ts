/** Preloaded into an attacked service: reports the longest turn of its event loop to the parent process. */
import * as LongestTurn from "./LongestTurn.ts"

const turns = LongestTurn.start()

process.on("message", (message) => {
  if (message === "read") process.send?.({ longestMillis: turns.take() })
})
// The channel must not keep the service running.
process.channel?.unref()
