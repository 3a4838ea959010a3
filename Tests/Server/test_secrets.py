"""Nothing that leaves the process tells a digit before the owner redeems it."""

import base64
import random
import re
import string

from client import Answer, EventStream, Session, connect, create, names, problem, read_all, request, request_bytes
from proxy import Proxy

WINDOW = 8


def spellings(secret):
    """Ways in which a part of a secret may show: as it is, in other cases, backwards, in hexadecimal, in base 64."""
    for start in range(len(secret) - WINDOW + 1):
        part = secret[start:start + WINDOW]
        yield part
        yield part.lower()
        yield part[::-1]
        yield part.encode().hex()
        yield " ".join(part)
        yield ",".join(map(str, part.encode()))
        for pad in range(3):
            coded = base64.b64encode(b"\0" * pad + part.encode()).decode().rstrip("=")
            yield coded[(pad * 8 + 5) // 6:-1]


def shown(secret, content):
    return [spelling for spelling in set(spellings(secret)) if spelling.encode() in content]


def test_the_search_finds_what_it_looks_for():
    secret = "K7Q2M9X4B6T1"
    assert shown(secret, b"..." + secret.encode() + b"...")
    assert shown(secret, secret[2:11].lower().encode())
    assert shown(secret, secret.encode().hex().encode())
    for pad in range(3):
        assert shown(secret, base64.b64encode(b"x" * pad + secret.encode()))
    assert not shown(secret, b"nothing of it: K7Q2M9 X4B6T1")


def canary(seed):
    return "".join(random.Random(seed).choices(string.ascii_uppercase + string.digits, k=32))


def use_all_there_is(proxy, session, pin):
    """Types a PIN in every way, right and wrong, and looks at the session from everywhere."""
    entry, owner = session.entry, session.owner
    quoted = pin.encode()

    def look():
        for token in (None, entry, owner):
            session.get(token)
            session.poll(0, token=token)
            session.poll(token=token)
            session.picture(token=token)
            session.picture("?width=100&height=20", token=token)
            session.get(token, headers={"If-None-Match": '"0"'})

    for at, character in enumerate(pin):
        key = {"Idempotency-Key": f"press-{at}"}
        assert session.insert(character, at=at, headers=key).status == 200
        session.insert(character, at=at, headers=key)
        session.insert(character, at=at)
    look()
    for text in (pin, pin + "!", pin[:16] + "²", pin.lower(), "\u200b".join(pin)):
        session.insert(text)
        session.set(text)
        session.set(text, headers={"If-Match": '"0"'})
        session.set(text, headers={"Idempotency-Key": "whole"})
        session.set(text + " ", headers={"Idempotency-Key": "whole"})
        look()
    session.end()
    session.set(pin)
    for body in (
        b'{"text":"' + quoted + b'"', b'{"text":"' + quoted + b'"}x', b'{"text":"' + quoted + b'","text":"1"}',
        b'{"text":["' + quoted + b'"]}', b'{"text":{"' + quoted + b'":1}}', b'"' + quoted + b'"',
        b'{"text":"' + quoted + b'\xff"}', b'{"text":"' + quoted + b'\\ud800"}', quoted,
        b'{"text":"' + quoted * 20 + b'"}', b'{"text":"1","at":"' + quoted + b'"}',
    ):
        for action in ("/insert", "/set"):
            assert session.request("POST", action, body, entry).status in (400, 422), body
            session.request("POST", action, body, entry, {"Content-Type": "text/plain"})
            session.request("POST", action, body, entry, {"Content-Type": "application/x-www-form-urlencoded"})
            session.request("POST", action, body)
            session.request("POST", action, body, "wrong")
    assert session.set(pin).status == 200
    problem(session.redeem(token=entry), "forbidden")
    problem(session.patch({"alphabet": "digits"}), "conflict")
    session.patch({"label": "Other", "style": "strip", "metadata": {"a": "b"}})
    look()
    for path in ("/metrics", "/livez", "/readyz"):
        assert request(proxy, "GET", path).status == 200
    multi = f"/v1/events?sessions={session.id},{create(proxy).id}"
    with EventStream(proxy, multi, owner) as stream:
        assert stream.next() is not None


def test_a_canary_pin_is_nowhere_in_what_left_the_process_before_redeem(start_pinpad):
    seed = random.randrange(2**32)
    print("seed", seed)
    pin = canary(seed)
    pinpad = start_pinpad()
    with Proxy(pinpad) as proxy:
        session = create(proxy, length=32, alphabet="alphanumeric", style="boxes")
        streams = [session.events(token=token) for token in (None, session.entry, session.owner)]
        use_all_there_is(proxy, session, pin)
        for stream in streams:
            stream.until("configure")
        # A request that is cut in the middle, and one that isn't HTTP.
        for content in (
            session.bytes("POST", "/insert", {"text": pin}, session.entry)[:-1],
            f"POST {session.path}/insert HTTP/1.1\r\nContent-Length: 41\r\n\r\n{{\"text\":\"{pin}\"}}".encode(),
        ):
            with connect(pinpad) as connection:
                connection.sendall(content)
                connection.shutdown(1)
                before = read_all(connection)
            assert not shown(pin, before)
        left = proxy.received()
        assert len(left) > 100_000
        assert not shown(pin, left)
        text = session.redeem().json["text"]
        assert text == pin
        assert shown(pin, proxy.received())
        for stream in streams:
            assert names(stream.rest())[-1] == "close"
            stream.close()
    pinpad.stop()
    assert not shown(pin, output_of(pinpad))


def output_of(pinpad):
    """Everything the stopped server has written to its standard output and standard error."""
    return (pinpad.stdout + pinpad.stderr).encode()


def test_a_canary_pin_stays_out_of_a_closed_sessions_answers(pinpad):
    seed = random.randrange(2**32)
    print("seed", seed)
    pin = canary(seed)
    with Proxy(pinpad) as proxy:
        session = create(proxy, length=32, alphabet="alphanumeric")
        session.set(pin)
        session.cancel()
        session.redeem()
        session.hold()
        for token in (None, session.entry, session.owner):
            session.get(token)
            session.poll(0, token=token)
            session.picture(token=token)
        assert not shown(pin, proxy.received())


# Two sessions that differ in their digits only


def normalised(content, session):
    """Bytes that came back, without what may differ between two sessions: ids, tokens, times, the stream's retry."""
    for secret, name in ((session.id, b"ID"), (session.entry, b"ENTRY"), (session.owner, b"OWNER")):
        content = content.replace(secret.encode(), name)
    content = re.sub(rb"(?im)^date: [^\r]*", b"Date: DATE", content)
    content = re.sub(rb'"expiresAt":"[^"]*"', b'"expiresAt":"TIME"', content)
    return re.sub(rb"(?m)^retry: [12]\d{3}$|^retry: 3000$", b"retry: RETRY", content)


def everything(pinpad, texts):
    """Goes through a session's life with these texts; returns all bytes of each answer, in order, normalised."""
    first, second, third = texts
    content = request_bytes(pinpad, "POST", "/v1/sessions", {"length": 4, "maxAttempts": 3}, close=True)
    with connect(pinpad) as connection:
        connection.sendall(content)
        creation = read_all(connection)
    body = creation.partition(b"\r\n\r\n")[2]

    session = Session(pinpad, Answer(201, {}, body))
    answers, lengths = [normalised(creation, session)], [len(creation)]

    def send(method, action, body=None, token=session.entry, **headers):
        options = {} if body is None else {"body": body}
        content = session.bytes(method, action, token=token, headers=headers, **options)
        with connect(pinpad) as connection:
            connection.sendall(content)
            answer = read_all(connection)
        answers.append(normalised(answer, session))
        lengths.append(len(answer))

    def look():
        for token in (None, session.entry, session.owner):
            send("GET", "", token=token)
            send("GET", "/events?after=0", token=token)
            send("GET", "/events", token=token, Accept="application/json")
            send("GET", "/cells.svg", token=token)
            send("GET", "/cells.svg?width=400&height=90", token=token)

    streams = [session.events(token=token) for token in (None, session.entry, session.owner)]
    look()
    for at, digit in enumerate(first):
        send("POST", "/insert", {"text": digit, "at": at}, **{"Idempotency-Key": f"k{at}"})
        send("POST", "/insert", {"text": digit, "at": at}, **{"Idempotency-Key": f"k{at}"})
        send("POST", "/insert", {"text": digit, "at": at})
        look()
    send("POST", "/insert", {"text": first})
    send("POST", "/set", {"text": first + "x"})
    send("POST", "/insert", f'{{"text":"{first}"'.encode())
    send("POST", "/redeem")
    send("POST", "/delete-backward")
    send("POST", "/set", {"text": second})
    send("POST", "/set", {"text": second}, **{"Idempotency-Key": "set"})
    send("POST", "/set", {"text": second}, **{"If-Match": '"0"'})
    send("POST", "/set", {"text": second})
    send("PATCH", "", {"style": "grid"}, token=session.owner)
    look()
    redeemed = [session.hold()]
    look()
    send("POST", "/insert", {"text": "1"})
    send("POST", "/reject", {"message": "no"}, token=session.owner)
    look()
    send("POST", "/insert", {"text": third})
    redeemed.append(session.redeem())
    send("POST", "/insert", {"text": third})
    look()
    assert [answer.json["text"] for answer in redeemed] == [second, third]
    for stream in streams:
        stream.rest()
        answers.append(normalised(stream.raw, session))
        lengths.append(len(stream.raw))
        stream.close()
    return answers, lengths


def test_two_sessions_with_different_digits_look_the_same_from_outside(pinpad):
    reference, reference_lengths = everything(pinpad, ("1234", "5678", "9012"))
    for texts in (("0000", "0000", "0000"), ("9999", "9999", "9999"), ("1111", "1234", "1234"), ("8317", "0042", "7777")):
        answers, lengths = everything(pinpad, texts)
        assert len(answers) == len(reference)
        for answer, expected in zip(answers, reference):
            assert answer == expected
        assert lengths == reference_lengths


def test_a_picture_and_its_etag_are_the_same_whichever_digits_are_in(pinpad):
    seen = set()
    for text in ("123", "999", "000", "314"):
        session = create(pinpad, length=6)
        session.insert(text)
        answer = session.picture()
        seen.add((answer.body.replace(session.id.encode(), b"ID"), answer.header("ETag")))
    assert len(seen) == 1


def test_a_revealed_pictures_etag_is_no_function_of_its_digits(pinpad):
    seen = set()
    for text in ("123", "999", "000", "314"):
        session = create(pinpad, length=6, style="code")
        session.insert(text)
        answer = session.picture()
        seen.add((answer.header("ETag") or "").replace(session.id, "ID"))
    assert len(seen) == 1
