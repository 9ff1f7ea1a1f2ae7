/** Imports the entries `webhook` and `websocket`. */
import { verifyWebhook } from "@daybook/rest/webhook"
import { createWebSocketClient } from "@daybook/rpc/websocket"
import run from "./push.cjs"

await run(verifyWebhook, createWebSocketClient)
