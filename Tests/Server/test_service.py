"""api.md, The service: its own pages, the figures, HEAD and OPTIONS, what every answer has."""

import email.utils
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from client import STATUS, connect, create, problem, receive, request, request_bytes
from figures import figure, samples

PAGES = ["/livez", "/readyz", "/metrics", "/openapi.json", "/", "/pin-entry.js", "/problems/full"]


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_livez_and_readyz_say_ok(pinpad, path):
    answer = request(pinpad, "GET", path)
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')
    assert answer.header("Content-Type") == "application/json"


def test_metrics_is_prometheus_text(pinpad):
    session = create(pinpad)
    session.insert("1")
    session.insert("x")
    answer = request(pinpad, "GET", "/metrics")
    assert answer.status == 200
    assert answer.header("Content-Type").startswith("text/plain; version=0.0.4")
    described, typed, order = {}, {}, []
    for line in answer.text.splitlines():
        kind = re.fullmatch(r"# (HELP|TYPE) ([a-z_:][a-z0-9_:]*) (.+)", line)
        if kind:
            (described if kind[1] == "HELP" else typed)[kind[2]] = kind[3]
        else:
            name = re.match(r"[a-zA-Z_:][a-zA-Z0-9_:]*", line)[0]
            base = re.sub("_(bucket|sum|count)$", "", name)
            base = base if typed.get(base) == "histogram" else name
            assert base in described and base in typed, line
            # Prometheus' own rules of naming, as `promtool check metrics` has them.
            assert (typed[base] == "counter") == base.endswith("_total"), line
            assert not re.search(r"_(milliseconds|ms|minutes|kilobytes)(_|$)", base), line
            if not order or order[-1] != base:
                order.append(base)
    assert answer.text.endswith("\n")
    assert sorted(order) == sorted(set(order)), "a metric's samples stand together"
    assert set(typed.values()) <= {"counter", "gauge", "histogram"}
    assert len({(name, tuple(labels.items())) for name, labels, _ in samples(pinpad)}) == len(samples(pinpad))


def test_promtool_finds_nothing_wrong_with_the_metrics(pinpad):
    create(pinpad).insert("1")
    beside_python = pathlib.Path(sys.executable).parent / "promtool"
    tool = beside_python if beside_python.exists() else shutil.which("promtool")
    checked = subprocess.run([tool, "check", "metrics"], input=request(pinpad, "GET", "/metrics").body, capture_output=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_the_metrics_tell_what_the_service_does(start_pinpad):
    pinpad = start_pinpad()
    session = create(pinpad)
    for text in ("1", "2", "x"):
        session.insert(text)
    found = samples(pinpad)

    def requests(**labels):
        return sum(
            value for name, has, value in found
            if name == "pinpad_http_requests_total" and labels.items() <= has.items())

    insert = {"route": "/v1/sessions/{id}/insert", "method": "POST"}
    assert (requests(**insert, status="200"), requests(**insert, status="422")) == (2, 1)
    assert requests(route="/v1/sessions", method="POST", status="201") == 1
    buckets = [
        value for name, labels, value in found
        if name == "pinpad_http_request_duration_seconds_bucket" and insert.items() <= labels.items()]
    assert buckets == sorted(buckets) and buckets[-1] == 3
    assert figure(pinpad, "pinpad_sessions", status="open") == 1
    session.cancel()
    assert figure(pinpad, "pinpad_sessions", status="open") == 0
    assert {
        "pinpad_streams", "pinpad_events_sent_total", "pinpad_streams_cut_total", "pinpad_requests_refused_total",
        "pinpad_build_info", "process_cpu_seconds_total", "process_resident_memory_bytes"
    } <= {name for name, _, _ in found}


def test_the_metrics_count_what_the_guard_refuses(pinpad):
    before = figure(pinpad, "pinpad_requests_refused_total", reason="length-required")
    request(pinpad, "GET", "/livez", headers={"Transfer-Encoding": "chunked"})
    assert figure(pinpad, "pinpad_requests_refused_total", reason="length-required") == before + 1


def test_no_label_of_a_metric_identifies_a_session(pinpad):
    session = create(pinpad, label="SECRET-LABEL", metadata={"SECRET-KEY": "SECRET-VALUE"})
    session.insert("493817")
    session.redeem()
    request(pinpad, "GET", "/v1/SECRET-PATH")
    request(pinpad, "SECRETMETHOD", session.path)
    text = request(pinpad, "GET", "/metrics").text
    for secret in (session.id, session.entry, session.owner, "SECRET", "493817"):
        assert secret not in text


def test_openapi_json_is_the_contract(pinpad):
    answer = request(pinpad, "GET", "/openapi.json")
    assert answer.status == 200 and answer.header("Content-Type") == "application/json"
    assert answer.json["openapi"].startswith("3.1.")
    assert answer.json["info"]["title"] == "Pinpad"


def test_the_page_to_try_it_is_there(pinpad):
    answer = request(pinpad, "GET", "/")
    assert answer.status == 200 and answer.header("Content-Type") == "text/html; charset=utf-8"
    assert answer.text.lstrip().lower().startswith("<!doctype html>")
    assert "http://" not in answer.text.replace("http://www.w3.org/", "") and "https://" not in answer.text


def test_the_web_component_is_there(pinpad):
    answer = request(pinpad, "GET", "/pin-entry.js")
    assert answer.status == 200 and answer.header("Content-Type").startswith("text/javascript")
    assert "pin-entry" in answer.text and "customElements" in answer.text


@pytest.mark.parametrize("name", STATUS)
def test_each_problem_has_a_page_that_says_what_it_means(pinpad, name):
    answer = request(pinpad, "GET", "/problems/" + name)
    assert answer.status == 200
    assert answer.header("Content-Type").startswith("text/")
    assert len(answer.text.split()) >= 8


def test_an_unknown_problem_is_not_found(pinpad):
    problem(request(pinpad, "GET", "/problems/none"), "not-found")


@pytest.mark.parametrize("path", ["/", "/pin-entry.js", "/openapi.json"])
def test_files_can_be_kept_and_are_checked(pinpad, path):
    answer = request(pinpad, "GET", path)
    assert answer.header("Cache-Control") and answer.header("Cache-Control") != "no-store"
    again = request(pinpad, "GET", path, headers={"If-None-Match": answer.header("ETag")})
    assert (again.status, again.body) == (304, b"")
    assert again.header("ETag") == answer.header("ETag")


def gets(session):
    return [session.path, session.path + "/cells.svg", session.path + "/events?after=0", "/v1/cells.svg", *PAGES]


def test_head_works_wherever_get_does(pinpad):
    session = create(pinpad)
    for path in gets(session):
        with connect(pinpad) as connection:
            connection.sendall(request_bytes(pinpad, "GET", path))
            got = receive(connection)
            connection.sendall(request_bytes(pinpad, "HEAD", path))
            head = receive(connection, "HEAD")
            # The connection goes on: nothing of a body followed.
            connection.sendall(request_bytes(pinpad, "GET", "/livez"))
            assert receive(connection).body == b'{"status":"ok"}', path
        assert (got.status, head.status, head.body) == (200, 200, b""), path
        different = {"Date"} if path != "/metrics" else {"Date", "Content-Length"}
        headers = [{name: value for name, value in answer.headers.items() if name not in different} for answer in (got, head)]
        assert headers[0] == headers[1], path


def test_head_of_what_is_not_there_is_the_problem_without_its_body(pinpad):
    head = request(pinpad, "HEAD", "/v1/sessions/" + "A" * 22)
    assert (head.status, head.body) == (404, b"")
    assert head.header("Content-Type") == "application/problem+json"
    head = request(pinpad, "HEAD", "/v1/sessions")
    assert (head.status, head.body) == (405, b"")


ALLOWED = {
    "/v1/sessions": "POST", "/v1/sessions/{id}": "GET HEAD PATCH DELETE", "/v1/sessions/{id}/events": "GET HEAD",
    "/v1/sessions/{id}/cells.svg": "GET HEAD", "/v1/events": "GET HEAD", "/v1/cells.svg": "GET HEAD",
    "/problems/full": "GET HEAD",
    **{f"/v1/sessions/{{id}}/{action}": "POST" for action in (
        "begin", "insert", "delete-backward", "clear", "set", "end", "redeem", "accept", "reject")},
    **{path: "GET HEAD" for path in PAGES}}


@pytest.mark.parametrize("path", ALLOWED)
def test_options_answers_with_allow(pinpad, path):
    expected = sorted([*ALLOWED[path].split(), "OPTIONS"])
    path = path.format(id=create(pinpad).id)
    answer = request(pinpad, "OPTIONS", path)
    assert answer.status in (200, 204)
    assert sorted(answer.header("Allow").split(", ")) == expected
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "BREW"):
        if method not in expected:
            answer = request(pinpad, method, path)
            if method == "HEAD":
                assert answer.status == 405
            else:
                problem(answer, "method-not-allowed")
            assert sorted(answer.header("Allow").split(", ")) == expected


def test_every_answer_has_nosniff_and_date_and_most_are_not_to_be_stored(pinpad):
    session = create(pinpad)
    answers = {
        "created": session.created, "state": session.get(), "edit": session.insert("1"), "poll": session.poll(0),
        "refused": session.insert("x"), "not found": request(pinpad, "GET", "/nowhere"),
        "method": request(pinpad, "PUT", session.path), "malformed": session.request("POST", "/insert", "{", session.entry),
        "options": request(pinpad, "OPTIONS", session.path), "head": request(pinpad, "HEAD", session.path),
        "livez": request(pinpad, "GET", "/livez"), "metrics": request(pinpad, "GET", "/metrics"),
        "problem": request(pinpad, "GET", "/problems/full"),
        "not modified": session.get(headers={"If-None-Match": '"1"'}),
        "encoding": request(pinpad, "POST", "/v1/sessions", headers={"Transfer-Encoding": "chunked"}),
        "too large": request(pinpad, "POST", "/v1/sessions", "x" * 20_000), "cancelled": session.cancel()}
    stored = {
        "picture": session.picture(), "page": request(pinpad, "GET", "/"), "script": request(pinpad, "GET", "/pin-entry.js"),
        "drawing": request(pinpad, "GET", "/v1/cells.svg")}
    for name, answer in {**answers, **stored}.items():
        assert answer.header("X-Content-Type-Options") == "nosniff", name
        assert email.utils.parsedate_to_datetime(answer.header("Date")), name
        assert len(answer.headers.get_all("Date")) == len(answer.headers.get_all("Cache-Control")) == 1, name
    for name, answer in answers.items():
        assert answer.header("Cache-Control") == "no-store", (name, answer)
    for name, answer in stored.items():
        assert "no-store" not in answer.header("Cache-Control"), name


def test_a_path_is_matched_as_it_is_written(pinpad):
    session = create(pinpad)
    for path in ("/v1/sessions/", session.path + "/", "/V1/sessions", "//livez", "/livez/", "/./livez", "/livez;x", "/%6Civez",
                 "/v1/sessions/" + session.id + "%00", "/problems/", "/problems/full/", "/problems/..%2Ffull", "/v1"):
        answer = request(pinpad, "GET", path)
        assert answer.status in (400, 404), (path, answer)
        problem(answer, "not-found" if answer.status == 404 else "malformed")
