/** Verifies a webhook, and calls over a WebSocket of its own: what the entries `webhook` and `websocket` need, without the other entries. */
const { createHmac } = require("node:crypto")

/** A socket that answers each call with block 16. */
class AnsweringSocket extends EventTarget {
  constructor() {
    super()
    queueMicrotask(() => this.dispatchEvent(new Event("open")))
  }
  send(text) {
    const data = JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(text).id, result: "0x10" })
    queueMicrotask(() => this.dispatchEvent(Object.assign(new Event("message"), { data })))
  }
  close() {}
}

module.exports = async (verifyWebhook, createWebSocketClient) => {
  const secret = Buffer.alloc(32, 7)
  const body = JSON.stringify({ type: "test", timestamp: "2026-01-01T00:00:00.000Z", data: { webhook: "w" } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", secret).update(`m.${timestamp}.${body}`).digest("base64")
  const headers = { "webhook-id": "m", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` }
  const { message } = await verifyWebhook(body, headers, `whsec_${secret.toString("base64")}`)
  const client = createWebSocketClient({ url: "ws://127.0.0.1:9", webSocket: AnsweringSocket })
  const block = await client.eth_blockNumber()
  client.close()
  if (message.type !== "test" || block !== 16n) throw new Error(`A ${message.type} and block ${block}.`)
}
