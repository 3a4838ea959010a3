"""Gives schemathesis' requests real sessions and their tokens, and keeps their waits short."""

import itertools
import os
import random
import re

import schemathesis

from client import create

ID = re.compile(r"[A-Za-z0-9_-]{22,40}")
KEY = re.compile(r'(?!""$)(?:"[!-~]{1,64}"|[!-~]{1,64})')


class Server:
    host = "127.0.0.1"
    port = int(os.environ["PINPAD_PORT"])


chance = random.Random(int(os.environ["PINPAD_SEED"]))
tokens = {}
numbers = itertools.count()


def some_session():
    """The id of a new session in one of the states that a session can be in."""
    session = create(
        Server, length=chance.choice([1, 4, 6]), reveal=chance.random() < 0.3,
        overflow=chance.choice(["truncate", "reject"]), maxAttempts=chance.choice([0, 1]))
    tokens[session.id] = session.entry, session.owner
    length = session.created.json["length"]
    state = chance.choice(["empty", "some", "full", "held", "rejected", "closed"])
    if state != "empty":
        session.insert("7" * (1 if state == "some" else length))
    if state in ("held", "rejected"):
        session.hold()
    if state == "rejected":
        session.reject("No")
    if state == "closed":
        session.cancel()
    return session.id


def is_id(value):
    return isinstance(value, str) and ID.fullmatch(value) is not None


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    if case.method != "OPTIONS" and is_id(parameters.get("id")):
        if parameters["id"] not in tokens:
            # In a chain of requests the id is of a session that was created in it.
            parameters["id"] = some_session()
        authorize(case, tokens[parameters["id"]])
    query = case.query if isinstance(case.query, dict) else {}
    sessions = query.get("sessions")
    if isinstance(sessions, list) and len(sessions) <= 4 and all(map(is_id, sessions)) and len(set(sessions)) == len(sessions):
        query["sessions"] = [some_session() for _ in sessions]
    if isinstance(case.body, dict):
        fit(case.body)
    shorten(case, query)
    renew_key(case)


def authorize(case, pair):
    """Sends the token that the request needs, or for some requests that need none, none."""
    needed = case.operation.definition.raw.get("security", [])
    headers = case.headers if case.headers is not None else {}
    if "authorization" in {name.lower() for name in headers} or {} in needed and chance.random() < 0.5:
        return
    entry, owner = pair
    is_enough = {"entryToken": []} in needed and chance.random() < 0.5
    case.headers = headers
    case.headers["Authorization"] = "Bearer " + (entry if is_enough else owner)
    case._has_explicit_auth = True


def shorten(case, query):
    """A wait that is right is right for any length."""
    if isinstance(query.get("wait"), (int, float)) and 0 < query["wait"] <= 50:
        query["wait"] = 0.01
    if isinstance(case.body, dict) and type(case.body.get("wait")) is int and 0 < case.body["wait"] <= 50:
        case.body["wait"] = 0


def renew_key(case):
    """A key that is right belongs to one request, and the generator likes to use one again."""
    for name, value in (case.headers or {}).items():
        if name.lower() == "idempotency-key" and KEY.fullmatch(value):
            case.headers[name] = str(next(numbers)) if value[0] != '"' else f'"{next(numbers)}"'


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.definition.raw.get("operationId") == "createSession" and response.status_code == 201:
        created = response.json()
        tokens[created["id"]] = created["tokens"]["entry"], created["tokens"]["owner"]


def fit(body):
    """Puts right what breaks a rule that the document can only say in words."""
    style, length, metadata = body.get("style"), body.get("length", 6), body.get("metadata")
    groups = style.get("groups") if isinstance(style, dict) else None
    if isinstance(groups, list) and all(type(cells) in (int, float) and cells in range(1, 33) for cells in groups):
        style["groups"] = [int(cells) for cells in groups] if sum(groups) == length else []
    if isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values()):
        if sum(len((name + value).encode()) for name, value in metadata.items()) > 4096:
            body["metadata"] = {}
    # To JSON Schema 6.0 is an integer; here integers have no fraction.
    timeouts = body.get("timeouts")
    for members in (body, timeouts if isinstance(timeouts, dict) else {}):
        for name, value in members.items():
            if isinstance(value, float) and value.is_integer():
                members[name] = int(value)
