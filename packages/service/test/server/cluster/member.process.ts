/**
 * A serving process for the tests of the primary one. It reports that it listens, or ends at once. It sends what the test gives it,
 * repeats what it receives, and answers pings unless it is hung.
 */
const [mode = "listen"] = process.argv.slice(2)

const send = (message: object) => void process.send?.(message)

if (mode === "exit") process.exit(3)
if (mode === "stubborn") process.on("SIGTERM", () => undefined)
process.on("message", (message: { readonly _tag: string; readonly id?: number; readonly message?: object }) => {
  if (message._tag === "Send") return send(message.message ?? {})
  send({ _tag: "Received", message })
  if (message._tag === "Ping" && mode !== "hung") send({ _tag: "Pong", id: message.id })
  if (message._tag === "RequestMetrics") send({ _tag: "OwnMetrics", id: message.id, text: `metrics of ${process.pid}` })
})
send({ _tag: "Ready", url: "http://127.0.0.1:1" })
