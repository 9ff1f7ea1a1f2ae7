/** The clients' clock for intervals, which the service also uses for its measurements. */
export { millis, reader, type Reader, readerOf } from "@daybook/transport/internal/MonotonicClock"
