/** The entries `webhook` and `websocket`, loaded by require(). */
const { verifyWebhook } = require("@daybook/rest/webhook")
const { createWebSocketClient } = require("@daybook/rpc/websocket")

void require("./push.cjs")(verifyWebhook, createWebSocketClient)
