/**
 * A serving process for tests of the primary process. It reports that it listens, or exits immediately. It sends the messages that the
 * test passes to it, and echoes received ones. It responds to requests unless it hangs, and applies every configuration except one with
 * the limit 13.
 */
const [mode = "listen"] = process.argv.slice(2)

const send = (message: object) => void process.send?.(message)

if (mode === "exit") process.exit(3)
if (mode === "stubborn") process.on("SIGTERM", () => undefined)
interface Received {
  readonly _tag: string
  readonly id?: number
  readonly name?: string
  readonly message?: object
  readonly payload?: { readonly config: { readonly maxLimit: number } } | null
}

const respond = ({ id, name, payload }: Received) => {
  const values: Readonly<Record<string, unknown>> = {
    ping: null,
    metrics: `metrics of ${process.pid}`,
    reload: payload?.config.maxLimit === 13 ? "13 is refused." : null,
  }
  send({ _tag: "Response", id, value: values[name ?? ""] })
}

process.on("message", (message: Received) => {
  if (message._tag === "Send") return send(message.message ?? {})
  send({ _tag: "Received", message })
  if (message._tag === "Request" && mode !== "hung") respond(message)
})
send({ _tag: "Request", id: 1, name: "ready", payload: "http://127.0.0.1:1" })
