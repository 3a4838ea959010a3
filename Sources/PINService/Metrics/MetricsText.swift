import MicroHTTP
import SessionStore
import WipingBuffer

/// Writes the counts in Prometheus's text format, version 0.0.4.
struct MetricsText: ~Copyable {
  private var out = Bytes(capacity: 16_384)

  consuming func finish() -> Bytes { out }

  mutating func requests(_ metrics: Metrics) {
    head("pinpad_http_requests_total", "counter", "Requests answered, by route pattern, method and status.")
    metrics.forEachEndpoint { endpoint in
      for (status, count) in endpoint.read().statuses {
        labels("pinpad_http_requests_total", endpoint)
        out.append(",status=\"")
        out.append(decimal: status)
        out.append("\"} ")
        out.append(decimal: count)
        out.append("\n")
      }
    }
    head(
      "pinpad_http_request_duration_seconds", "histogram",
      "Time from a whole request to its answer, by route pattern and method; waits are not in it.")
    metrics.forEachEndpoint { histogram($0) }
  }

  /// One figure with its head.
  mutating func figure(
    _ name: StaticString, _ type: StaticString, _ help: StaticString, _ value: some FixedWidthInteger
  ) {
    head(name, type, help)
    sample(name, value)
  }

  mutating func head(_ name: StaticString, _ type: StaticString, _ help: StaticString) {
    out.append("# HELP ")
    out.append(name)
    out.append(" ")
    out.append(help)
    out.append("\n# TYPE ")
    out.append(name)
    out.append(" ")
    out.append(type)
    out.append("\n")
  }

  mutating func sample(_ name: StaticString, _ value: some FixedWidthInteger) {
    out.append(name)
    out.append(" ")
    out.append(decimal: value)
    out.append("\n")
  }

  /// A sample with one label.
  mutating func sample(
    _ name: StaticString, _ label: StaticString, _ labelValue: StaticString, _ value: some FixedWidthInteger
  ) {
    out.append(name)
    out.append("{")
    out.append(label)
    out.append("=\"")
    out.append(labelValue)
    out.append("\"} ")
    out.append(decimal: value)
    out.append("\n")
  }

  /// A number of seconds.
  mutating func seconds(_ name: StaticString, microseconds: Int) {
    out.append(name)
    out.append(" ")
    seconds(UInt64(microseconds) * 1000)
    out.append("\n")
  }

  private mutating func histogram(_ endpoint: EndpointCounts) {
    let values = endpoint.read()
    let count = values.buckets.reduce(0, +)
    guard count > 0 else { return }
    var sum = 0
    for (bound, bucket) in zip(EndpointCounts.bounds, values.buckets) {
      sum += bucket
      labels("pinpad_http_request_duration_seconds_bucket", endpoint)
      out.append(",le=\"")
      seconds(bound)
      out.append("\"} ")
      out.append(decimal: sum)
      out.append("\n")
    }
    labels("pinpad_http_request_duration_seconds_bucket", endpoint)
    out.append(",le=\"+Inf\"} ")
    out.append(decimal: count)
    out.append("\n")
    labels("pinpad_http_request_duration_seconds_sum", endpoint)
    out.append("} ")
    seconds(values.nanoseconds)
    out.append("\n")
    labels("pinpad_http_request_duration_seconds_count", endpoint)
    out.append("} ")
    out.append(decimal: count)
    out.append("\n")
  }

  private mutating func labels(_ name: StaticString, _ endpoint: EndpointCounts) {
    out.append(name)
    out.append("{route=\"")
    out.append(text: endpoint.route)
    out.append("\",method=\"")
    out.append(text: endpoint.method)
    out.append("\"")
  }

  /// Nanoseconds as seconds, to the microsecond.
  private mutating func seconds(_ nanoseconds: UInt64) {
    let micros = nanoseconds / 1000
    out.append(decimal: micros / 1_000_000)
    out.append(".")
    var place: UInt64 = 100_000
    while place > 0 {
      out.append(byte: 0x30 &+ UInt8(micros / place % 10))
      place /= 10
    }
  }
}
