/** The clients' clock for intervals, which the service uses for its measurements too. */
export { millis, reader, type Reader, readerOf } from "@daybook/transport/internal/MonotonicClock"
