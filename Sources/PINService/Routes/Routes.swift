import MicroHTTP

extension Route {
  /// Everything that the service answers. The most frequent come first.
  static let all: [Route] = [
    Route("/v1/sessions/{id}/insert", keypad(.insert)),
    Route("/v1/sessions/{id}/delete-backward", keypad(.deleteBackward)),
    Route("/v1/sessions/{id}/clear", keypad(.clear)),
    Route("/v1/sessions/{id}/set", keypad(.set)),
    Route("/v1/sessions/{id}/begin", keypad(.begin)),
    Route("/v1/sessions/{id}/end", keypad(.end)),
    Route("/v1/sessions/{id}/events", Endpoint(method: .get, handler: .session(.watch, Watching.events))),
    Route("/v1/sessions/{id}/cells.svg", Endpoint(method: .get, handler: .session(.watch, Picturing.session))),
    Route(
      "/v1/sessions/{id}",
      Endpoint(method: .get, handler: .session(.watch, Watching.state)),
      Endpoint(method: .patch, handler: .session(.own, Owning.configure)),
      Endpoint(method: .delete, handler: .session(.own, Owning.cancel))),
    Route("/v1/sessions/{id}/redeem", Endpoint(method: .post, handler: .session(.own, Owning.redeem))),
    Route("/v1/sessions/{id}/accept", Endpoint(method: .post, handler: .session(.own, Owning.accept))),
    Route("/v1/sessions/{id}/reject", Endpoint(method: .post, handler: .session(.own, Owning.reject))),
    Route(
      "/v1/sessions", asksStore: true,
      service(.post) { (service, request, _) throws(Problem) in try Creating.respond(service, request) }
    ),
    Route(
      "/v1/events", asksStore: true,
      service(.get) { (service, request, _) throws(Problem) in try Watching.severalEvents(service, request) }),
    Route(
      "/v1/cells.svg",
      service(.get) { (service, request, _) throws(Problem) in try Picturing.drawing(service, request) }),
    Route("/livez", service(.get) { service, _, _ in Pages.alive() }),
    Route(
      "/readyz", asksStore: true, service(.get) { (service, _, _) throws(Problem) in try Pages.ready(service) }),
    Route("/metrics", service(.get) { (service, request, _) throws(Problem) in try Pages.metrics(service, request) }),
    Route("/openapi.json", service(.get) { service, request, _ in service.pages.openAPI.reply(to: request) }),
    Route("/pin-entry.js", service(.get) { service, request, _ in service.pages.pinEntry.reply(to: request) }),
    Route(
      "/",
      service(.get) { service, request, _ in service.pages.page.reply(to: request, policy: service.rules.pagePolicy) }),
    Route("/problems/{name}", service(.get) { (service, request, name) throws(Problem) in try Pages.problem(name) }),
  ]

  private static func keypad(_ edit: Editing.Edit) -> Endpoint {
    Endpoint(
      method: .post,
      handler: .session(.type) { (service, request, call) throws(Problem) in
        try Editing.respond(to: edit, service, request, call)
      })
  }

  private static func service(
    _ method: Method,
    _ handler: @escaping @Sendable (PINService, borrowing Request, UnsafeRawBufferPointer) throws(Problem) -> Reply
  ) -> Endpoint {
    Endpoint(method: method, handler: .service(handler))
  }
}
