/** The clock for intervals of the clients, which the service measures by too. */
export { millis, reader, type Reader, readerOf } from "@daybook/transport/internal/MonotonicClock"
