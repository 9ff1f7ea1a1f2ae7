/**
 * Preloaded into each thread of an attacked service: shifts the system time that the thread reads when the parent process sends `{
 * clockMillis }`.
 */
import { BroadcastChannel, isMainThread } from "node:worker_threads"

const real = Date.now.bind(Date)
let shift = 0

const Shifted = new Proxy(Date, {
  construct: (target, values) => Reflect.construct(target, values.length === 0 ? [real() + shift] : values) as object,
  get: (target, name) => (name === "now" ? () => real() + shift : Reflect.get(target, name)),
})
globalThis.Date = Shifted

const channel = new BroadcastChannel("daybook-clock")
channel.onmessage = ({ data }) => (shift = data as number)
channel.unref()

if (isMainThread) {
  process.on("message", (message: { readonly clockMillis?: number }) => {
    if (message.clockMillis === undefined) return
    shift = message.clockMillis
    channel.postMessage(shift)
  })
}
