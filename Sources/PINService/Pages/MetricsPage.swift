import MicroHTTP
import SessionStore
import WipingBuffer

extension Pages {
  /// `GET /metrics`.
  static func metrics(_ service: PINService) -> Reply {
    var text = MetricsText()
    text.requests(service.metrics)
    text.figure("pinpad_events_sent_total", "counter", "Events given to streams.", service.metrics.eventsSent)
    let body = text.finish()
    return .response(Response(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: body))
  }
}
