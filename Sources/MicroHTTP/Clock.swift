import MicroHTTPShim

/// Now, in ms of the clock that no change of the wall clock moves, and that goes on while the machine sleeps
/// (`CLOCK_BOOTTIME`).
package func monotonicNow() -> Int64 { mhs_now() }
