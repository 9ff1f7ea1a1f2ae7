/**
 * A serving process for the tests of the primary one. It reports that it listens, or ends at once. It sends what the test gives it,
 * repeats what it receives, answers pings unless it is hung, and takes over each configuration but one with the limit 13.
 */
const [mode = "listen"] = process.argv.slice(2)

const send = (message: object) => void process.send?.(message)

if (mode === "exit") process.exit(3)
if (mode === "stubborn") process.on("SIGTERM", () => undefined)
interface Received {
  readonly _tag: string
  readonly id?: number
  readonly message?: object
  readonly file?: { readonly config: { readonly maxLimit: number } }
}
process.on("message", (message: Received) => {
  if (message._tag === "Send") return send(message.message ?? {})
  send({ _tag: "Received", message })
  if (message._tag === "Ping" && mode !== "hung") send({ _tag: "Pong", id: message.id })
  if (message._tag === "Reload") {
    send({ _tag: "Reloaded", id: message.id, issue: message.file?.config.maxLimit === 13 ? "13 is refused." : null })
  }
  if (message._tag === "RequestMetrics") send({ _tag: "OwnMetrics", id: message.id, text: `metrics of ${process.pid}` })
})
send({ _tag: "Ready", url: "http://127.0.0.1:1" })
