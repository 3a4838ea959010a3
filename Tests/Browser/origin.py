"""A page of somebody else's, on an origin of its own."""

import contextlib
import http.server
import threading

# All that `<pin-entry>` needs of a page's policy; `{service}` is Pinpad's origin.
STRICT = ("default-src 'none'; script-src {service}; connect-src {service}; style-src 'none'; "
          "require-trusted-types-for 'script'; trusted-types 'none'")


class Origin:
    def __init__(self, service):
        """`service`: Pinpad's origin; set later if it must know this one first."""
        self.service = service
        self.reports = []
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = origin.content().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Content-Security-Policy", STRICT.format(service=origin.service))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.fields = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def content(self):
        fields = "".join(
            f'<pin-entry id="field{index}" src="{session.url}" token="{session.entry}"></pin-entry>'
            for index, session in enumerate(self.fields))
        return ('<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Sign in</title>'
                f'<script src="{self.service}/pin-entry.js"></script><main><h1>Sign in</h1>{fields}</main></html>')

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def origin(service=None):
    one = Origin(service)
    try:
        yield one
    finally:
        one.close()
