/**
 * Exports the spans of requests to a collector, with OTLP over HTTP as JSON.
 *
 * Source: OpenTelemetry Protocol, OTLP/HTTP.
 */
import * as Layer from "effect/Layer"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import type { Config } from "../../config/Config.ts"
import { version } from "./ProcessMetrics.ts"

/** Path of traces below the URL of a collector. */
const endpointOf = (url: string): string => `${url.replace(/\/+$/, "")}/v1/traces`

/** Tracer of a configuration; none if it has no collector. Spans that the collector does not accept are dropped. */
export const layer = (otlp: Config["otlp"]): Layer.Layer<never> =>
  otlp === undefined
    ? Layer.empty
    : OtlpTracer.layer({
        url: endpointOf(otlp.url),
        headers: otlp.headers,
        resource: { serviceName: "daybook", serviceVersion: version },
      }).pipe(Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]))
