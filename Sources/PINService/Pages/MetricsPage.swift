import MicroHTTP
import PINEntry
import SessionStore
import WipingBuffer

extension Pages {
  /// `GET /metrics`.
  static func metrics(_ service: PINService, _ request: borrowing Request) throws(Problem) -> Reply {
    let rules = service.rules
    try rules.metricsAccess.check(request, by: rules)
    var text = MetricsText()
    text.requests(service.metrics)
    text.head("pinpad_sessions", "gauge", "Sessions that still answer, by status.")
    for status in Status.allCases {
      text.sample("pinpad_sessions", "status", status.name, service.store.count(status))
    }
    if let figures = service.store.figures { store(figures, &text) }
    text.figure("pinpad_events_sent_total", "counter", "Events given to streams.", service.metrics.eventsSent)
    text.figure(
      "pinpad_log_dropped_lines_total", "counter", "Lines of the log that were lost.", service.log.droppedLines)
    if let found = service.server { server(found.counts, found.limits, &text) }
    text.head(
      "pinpad_requests_refused_total", "counter", "Requests refused for their form, or for want of room, by reason.")
    if let counts = service.server?.counts {
      for refusal in Refusal.allCases {
        text.sample("pinpad_requests_refused_total", "reason", refusal.name, counts.refusals(refusal))
      }
    }
    for scarcity in Scarcity.allCases {
      text.sample("pinpad_requests_refused_total", "reason", scarcity.name, service.metrics.refused.read(scarcity))
    }
    text.head("pinpad_build_info", "gauge", "The version, as a label; always 1.")
    text.sample("pinpad_build_info", "version", PINService.version, 1)
    process(&text)
    let body = text.finish()
    return .response(Response(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: body))
  }

  private static func store(_ figures: StoreFigures, _ text: inout MetricsText) {
    text.figure("pinpad_store_calls_total", "counter", "Calls of the store by this node.", figures.calls)
    text.head("pinpad_store_seconds_total", "counter", "How long those calls took.")
    text.seconds("pinpad_store_seconds_total", microseconds: figures.microseconds)
    text.figure("pinpad_store_failures_total", "counter", "Calls without an answer.", figures.failures)
    text.figure("pinpad_store_unreadable_total", "counter", "Answers that could not be read.", figures.unreadable)
    text.figure(
      "pinpad_store_conflicts_total", "counter", "Edits made again, and copies renewed, as another node was first.",
      figures.conflicts)
    text.figure(
      "pinpad_store_lost_events_total", "counter", "Sessions found to have lost events that had been told.",
      figures.stepsBack)
  }

  private static func server(_ counts: Counts, _ limits: Server.Limits, _ text: inout MetricsText) {
    text.figure("pinpad_connections", "gauge", "Open connections, without streams.", counts.connections)
    text.figure("pinpad_connections_total", "counter", "Connections accepted.", counts.accepted)
    text.figure("pinpad_connections_limit", "gauge", "As many connections there may be.", limits.connections)
    text.figure("pinpad_streams", "gauge", "Open streams and waits.", counts.streams)
    text.figure("pinpad_streams_limit", "gauge", "As many streams and waits there may be.", limits.streams)
    text.figure(
      "pinpad_streams_cut_total", "counter", "Streams cut off because their reader was too slow.", counts.streamsCutOff)
    text.figure(
      "pinpad_connections_timed_out_total", "counter", "Connections closed because a request was not whole in time.",
      counts.timedOut)
  }

  private static func process(_ text: inout MetricsText) {
    let figures = ProcessFigures.read()
    text.figure("process_resident_memory_bytes", "gauge", "Resident memory.", figures.residentBytes)
    text.figure("process_open_fds", "gauge", "Open file descriptors.", figures.descriptors)
    text.figure("process_max_fds", "gauge", "The limit of open file descriptors.", figures.descriptorLimit)
    text.figure("process_threads", "gauge", "Threads.", figures.threads)
    text.head("process_cpu_seconds_total", "counter", "Time on processors, in user and system mode.")
    text.seconds("process_cpu_seconds_total", microseconds: figures.cpuMicroseconds)
  }
}
