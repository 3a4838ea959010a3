"""The program itself: its options, its configuration, its start and its end."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

from client import HANG, create, names, request
from servers import environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def run(pinpad_binary, tmp_path):
    """Runs the program until it ends by itself."""

    def run(*arguments, env=None):
        return subprocess.run(
            [str(pinpad_binary), *map(str, arguments)], env=environment(**(env or {})), cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG)

    return run


def test_the_version_is_a_line(run):
    ended = run("--version")
    assert ended.returncode == 0 and ended.stderr == ""
    assert ended.stdout.startswith("pinpad ") and ended.stdout.count("\n") == 1


def test_the_help_names_every_option_and_every_setting(run):
    ended = run("--help")
    assert ended.returncode == 0
    for option in "--config --listen --check-config --print-config --health --version --help".split():
        assert option in ended.stdout
    for variable in ("PINPAD_LISTEN", "PINPAD_API_KEYS_FILE", "PINPAD_SESSIONS_MAXIMUM"):
        assert variable in ended.stdout
    # What an operator has to know of Redis: as the README says it.
    assert "no append-only file, or has only sessions that no key of the file opens\n" in ended.stdout
    assert "may wait for its turn to ask; all that it needs of Redis may take three times as long\n" in ended.stdout


def test_what_is_printed_is_a_configuration_again(run, tmp_path):
    printed = run("--print-config", env={"PINPAD_WORKERS": "3"})
    assert printed.returncode == 0
    assert json.loads(printed.stdout)["workers"] == 3
    (tmp_path / "printed.json").write_text(printed.stdout)
    assert run("--print-config", "--config", "printed.json").stdout == printed.stdout


def test_the_file_in_config_is_what_is_printed_without_any(run):
    assert run("--print-config").stdout == (ROOT / "Config" / "pinpad.json").read_text()


def test_keys_are_printed_masked(run, tmp_path):
    (tmp_path / "keys").write_text(f"# rotated\n{KEY}\n{KEY[::-1]}\n")
    printed = run("--print-config", env={"PINPAD_API_KEYS": "f" * 32, "PINPAD_API_KEYS_FILE": "keys"})
    assert len(json.loads(printed.stdout)["apiKeys"]) == 3
    for key in (KEY, KEY[::-1], "f" * 32):
        assert key not in printed.stdout


@pytest.mark.parametrize("text", ["", " \n\n", f"# {KEY}\n"])
def test_a_file_of_keys_without_a_key_ends_the_program(run, tmp_path, text):
    (tmp_path / "keys").write_text(text)
    for option in ([], ["--check-config"]):
        ended = run("--listen", "127.0.0.1:0", *option, env={"PINPAD_API_KEYS_FILE": "keys"})
        assert (ended.returncode, ended.stdout) == (78, "")
        assert ended.stderr == "pinpad: PINPAD_API_KEYS_FILE: keys: has no key\n"


def test_what_kubernetes_says_of_a_service_pinpad_is_passed_over(run):
    variables = {
        "PINPAD_SERVICE_HOST": "10.0.0.9", "PINPAD_SERVICE_PORT": "8080", "PINPAD_SERVICE_PORT_HTTP": "8080",
        "PINPAD_PORT": "tcp://10.0.0.9:8080", "PINPAD_PORT_8080_TCP": "tcp://10.0.0.9:8080",
        "PINPAD_PORT_8080_TCP_PROTO": "tcp", "PINPAD_PORT_8080_TCP_PORT": "8080", "PINPAD_PORT_8080_TCP_ADDR": "10.0.0.9"}
    assert run("--check-config", env=variables).returncode == 0
    assert run("--print-config", env=variables).stdout == run("--print-config").stdout
    assert run("--check-config", env={"PINPAD_PORTS": "8080"}).returncode == 78


@pytest.mark.parametrize("variable", ["PINPAD_API_KEYS", "PINPAD_API_KEYS_FILE"])
def test_an_empty_variable_of_keys_ends_the_program(run, variable):
    ended = run("--check-config", env={variable: ""})
    assert ended.returncode == 78 and f"{variable}: is empty" in ended.stderr


def test_all_mistakes_are_named_at_once_and_the_status_is_78(run, tmp_path):
    (tmp_path / "wrong.json").write_text('{"workers": 65, "sesions": {}}')
    for option in ("--check-config", "--print-config", None):
        arguments = ["--config", "wrong.json", "--listen", "nowhere", "--verbose", *([option] if option else [])]
        ended = run(*arguments, env={"PINPAD_STREAMS_MAXIMUM": "x"})
        assert ended.returncode == 78 and ended.stdout == ""
        for mistake in ("workers", "sesions", "nowhere", "--verbose", "PINPAD_STREAMS_MAXIMUM"):
            assert mistake in ended.stderr
        assert all(line.startswith("pinpad: ") for line in ended.stderr.splitlines())


@pytest.mark.parametrize("arguments", [
    ["--config"], ["--listen"], ["--config", "missing.json"], ["something"], ["--check-config=x"], ["--version="]])
def test_a_wrong_command_line_is_a_mistake_too(run, arguments):
    assert run(*arguments).returncode == 78


@pytest.mark.parametrize("arguments", [
    ["--config", "a.json", "--config", "b.json"], ["--config=a.json", "--config=a.json"],
    ["--listen", "127.0.0.1:0", "--listen=127.0.0.1:0"], ["--store", "memory", "--store", "memory"],
    ["--check-config", "--check-config"]])
def test_an_option_that_is_there_twice_is_a_mistake(run, tmp_path, arguments):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("{}")
    ended = run(*arguments)
    option = arguments[0].partition("=")[0]
    assert (ended.returncode, ended.stdout, ended.stderr) == (78, "", f"pinpad: {option}: is there twice\n")


def test_it_does_one_thing_at_a_time(run):
    ended = run("--check-config", "--print-config")
    assert ended.returncode == 78 and ended.stderr.startswith("pinpad: --print-config: ")


def test_a_mistake_names_the_file_or_the_variable_that_it_is_in(run, tmp_path):
    keys = {"apiKeysFile": "none", "styles": {"directory": "nowhere"}, "proxies": ["x"]}
    (tmp_path / "wrong.json").write_text(json.dumps(keys))
    said = run("--check-config", "--config", "wrong.json").stderr.splitlines()
    assert [line.split(": ")[:4] for line in said] == [
        ["pinpad", "wrong.json", "apiKeysFile", "none"], ["pinpad", "wrong.json", "proxies", "x"],
        ["pinpad", "wrong.json", "styles.directory", "nowhere"]]
    variables = {"PINPAD_API_KEYS_FILE": "none", "PINPAD_STYLES_DIRECTORY": "nowhere", "PINPAD_PROXIES": "x"}
    said = run("--check-config", "--config", "wrong.json", env=variables).stderr.splitlines()
    assert [line.split(": ")[:3] for line in said] == [
        ["pinpad", "PINPAD_API_KEYS_FILE", "none"], ["pinpad", "PINPAD_PROXIES", "x"],
        ["pinpad", "PINPAD_STYLES_DIRECTORY", "nowhere"]]


def test_a_mistake_in_a_file_of_a_redis_keys_names_where_that_was_named(run, tmp_path):
    (tmp_path / "ring").write_text("")
    settings = {"PINPAD_STORE": "redis://127.0.0.1", "PINPAD_REDIS_KEY_FILE": "ring"}
    assert run("--check-config", env=settings).stderr == "pinpad: PINPAD_REDIS_KEY_FILE: ring: has no key\n"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"workers":1,"workers":1}'])
def test_a_file_that_is_no_configuration_is_a_mistake(run, tmp_path, text):
    (tmp_path / "wrong.json").write_text(text)
    ended = run("--check-config", "--config", "wrong.json")
    assert ended.returncode == 78 and "wrong.json" in ended.stderr


def test_a_right_configuration_is_said_to_be(run):
    ended = run("--check-config")
    assert ended.returncode == 0 and ended.stderr == ""


@pytest.mark.parametrize("place", ["0.0.0.0:0", "[::]:0", "pinpad.example:80"])
def test_without_keys_only_this_machine_may_reach_it(run, place):
    ended = run("--check-config", "--listen", place)
    assert ended.returncode == 78 and "allowAnyoneToCreate" in ended.stderr
    assert run("--check-config", "--listen", place, env={"PINPAD_API_KEYS": KEY}).returncode == 0
    assert run("--check-config", "--listen", place, env={"PINPAD_ALLOW_ANYONE_TO_CREATE": "true"}).returncode == 0


def test_a_wrong_style_is_a_mistake_in_the_configuration(run, tmp_path):
    (tmp_path / "wrong.json").write_text('{"layout": "circle"}')
    ended = run("--check-config", env={"PINPAD_STYLES_DIRECTORY": str(tmp_path)})
    assert ended.returncode == 78 and "wrong.json" in ended.stderr


def test_a_directory_adds_styles_and_overrides_them(start_pinpad, tmp_path):
    boxes = json.loads((ROOT / "Config" / "styles" / "boxes.json").read_text())
    (tmp_path / "mine.json").write_text(json.dumps({**boxes, "reveal": False}))
    (tmp_path / "boxes.json").write_text(json.dumps({**boxes, "reveal": True}))
    server = start_pinpad(config={"styles": {"directory": str(tmp_path)}})
    assert request(server, "POST", "/v1/sessions", {"style": "mine"}).json["config"]["reveal"] is False
    assert request(server, "POST", "/v1/sessions", {"style": "boxes"}).json["config"]["reveal"] is True


def test_the_first_line_says_where_it_listens(start_pinpad):
    server = start_pinpad("--listen", "127.0.0.1:0")
    assert server.first_line == f"pinpad listening on http://127.0.0.1:{server.port}"
    assert request(server, "GET", "/readyz").json == {"status": "ok"}
    server.stop()
    assert server.stdout == server.first_line + "\n"


def test_it_listens_on_ipv6(start_pinpad):
    server = start_pinpad("--listen", "[::1]:0")
    assert server.first_line == f"pinpad listening on http://[::1]:{server.port}"
    assert create(server).insert("1").status == 200


def ask(connection):
    """A creation, and the first line of its answer."""
    with connection:
        connection.settimeout(HANG)
        connection.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        return connection.recv(4096).split(b"\r\n")[0]


def ask_unix(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return ask(connection)


def test_it_listens_on_a_unix_socket_and_removes_it(start_pinpad, tmp_path):
    path = tmp_path / "socket"
    server = start_pinpad("--listen", f"unix:{path}")
    assert server.first_line == f"pinpad listening on unix:{path}"
    assert ask_unix(path) == b"HTTP/1.1 201 Created"
    server.stop()
    assert not path.exists()


def test_a_socket_left_over_from_a_crash_is_replaced(start_pinpad, tmp_path):
    path = tmp_path / "socket"
    crashed = start_pinpad("--listen", f"unix:{path}")
    crashed.expect(-signal.SIGKILL)
    crashed.process.kill()
    crashed.stop()
    assert path.exists()
    start_pinpad("--listen", f"unix:{path}")
    assert ask_unix(path) == b"HTTP/1.1 201 Created"


def test_an_address_in_use_is_said(run, start_pinpad):
    server = start_pinpad()
    ended = run("--listen", f"127.0.0.1:{server.port}")
    assert ended.returncode == 1 and "in use" in ended.stderr and ended.stdout == ""


def test_health_is_whether_it_is_ready(run, start_pinpad, tmp_path):
    server = start_pinpad()
    place = f"127.0.0.1:{server.port}"
    assert run("--health", "--listen", place).returncode == 0
    assert run("--health", env={"PINPAD_LISTEN": place}).returncode == 0
    server.stop()
    silent = run("--health", "--listen", place)
    assert (silent.returncode, silent.stderr) == (1, f"pinpad: {place} does not answer\n")
    start_pinpad("--listen", f"unix:{tmp_path}/socket")
    assert run("--health", "--listen", f"unix:{tmp_path}/socket").returncode == 0


def test_health_is_not_asked_with_options_that_are_wrong(run, start_pinpad):
    place = f"127.0.0.1:{start_pinpad().port}"
    wrong = run("--health", "--listen", place, "--nosuch")
    assert (wrong.returncode, wrong.stdout) == (78, "")
    assert wrong.stderr == "pinpad: --nosuch: there is no such option; --help names them\n"


def test_health_finds_it_where_it_listens_on_all_addresses(run, start_pinpad):
    server = start_pinpad("--listen", "0.0.0.0:0", env={"PINPAD_API_KEYS": KEY})
    assert run("--health", "--listen", f"0.0.0.0:{server.port}", env={"PINPAD_API_KEYS": KEY}).returncode == 0


@contextlib.contextmanager
def activated(binary, listener, **env):
    """The program as systemd starts it: the socket is descriptor 3."""
    command = 'exec 3<&"$1"; shift; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
    process = subprocess.Popen(
        ["bash", "-c", command, "bash", str(listener.fileno()), str(binary)], pass_fds=[listener.fileno()],
        env=environment(**env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=HANG)


def test_it_takes_the_socket_that_systemd_opened(pinpad_binary):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with activated(pinpad_binary, listener) as process:
            assert process.stdout.readline() == f"pinpad listening on http://127.0.0.1:{port}\n"
            assert ask(socket.create_connection(("127.0.0.1", port))) == b"HTTP/1.1 201 Created"
        assert process.returncode == 0


def test_a_socket_of_systemd_that_others_reach_needs_keys_too(pinpad_binary):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        with activated(pinpad_binary, listener) as process:
            assert "allowAnyoneToCreate" in process.stderr.read()
            assert process.wait(HANG) == 78
        with activated(pinpad_binary, listener, PINPAD_API_KEYS=KEY) as process:
            assert process.stdout.readline().startswith("pinpad listening on http://0.0.0.0:")


def test_it_says_that_the_limit_of_open_files_is_too_low(pinpad_binary):
    process = subprocess.Popen(
        ["sh", "-c", 'ulimit -n 500; exec "$@"', "sh", str(pinpad_binary), "--listen", "127.0.0.1:0"],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("pinpad listening on ")
    process.terminate()
    _, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0
    assert "limit of open files is 500" in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_streams_cleanly_and_finishes_requests(start_pinpad, number):
    server = start_pinpad()
    session = create(server)
    stream = session.events()
    stream.next()
    with socket.create_connection((server.host, server.port), timeout=HANG) as busy:
        body = b'{"text":"7"}'
        head = (
            f"POST {session.path}/insert HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.entry}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")
        # The head has been read, the body isn't there yet.
        busy.sendall(head.encode() + body[:3])
        assert session.state()["count"] == 0
        server.process.send_signal(number)
        stream.rest()
        busy.sendall(body[3:])
        assert busy.recv(4096).startswith(b"HTTP/1.1 200 ")
    server.stop()


def test_while_draining_it_is_not_ready(start_pinpad):
    server = start_pinpad()
    stream = create(server).events()
    stream.next()
    with socket.create_connection((server.host, server.port), timeout=HANG) as busy:
        # A request under way keeps it alive; the connection has been accepted before the signal.
        busy.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert busy.recv(4096).startswith(b"HTTP/1.1 200 ")
        busy.sendall(b"GET /readyz HTTP/1.1\r\nHost: loc")
        request(server, "GET", "/livez")
        server.process.send_signal(signal.SIGTERM)
        stream.rest()
        busy.sendall(b"alhost\r\n\r\n")
        answer = busy.recv(4096)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"connection: close" in answer.lower()


def test_a_signal_that_comes_while_it_starts_ends_it_cleanly(pinpad_binary, tmp_path):
    pipe = tmp_path / "config"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [str(pinpad_binary), "--listen", "127.0.0.1:0", "--config", str(pipe)], env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Opens when the program reads its configuration.
    with open(pipe, "w") as config:
        process.terminate()
        config.write("{}")
    said, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0, errors
    assert said.startswith("pinpad listening on ")


def test_no_one_may_look_into_it(pinpad_binary):
    with tempfile.TemporaryDirectory(prefix="pinpad-test-") as folder:
        os.chmod(folder, 0o755)
        binary = shutil.copy(pinpad_binary, folder)
        # Root's processes belong to root anyway.
        someone = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0"], cwd="/", env=environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, **someone)
        try:
            assert process.stdout.readline().startswith("pinpad listening on ")
            # What may not be looked into belongs to root in /proc, whoever runs it.
            assert os.stat(f"/proc/{process.pid}/environ").st_uid == 0
        finally:
            process.terminate()
            process.communicate(timeout=HANG)
        assert process.returncode == 0


def test_it_needs_no_foundation(pinpad_binary):
    libraries = subprocess.run(["ldd", str(pinpad_binary)], capture_output=True, text=True, check=True).stdout
    assert "libmicrohttpd" in libraries
    assert "Foundation" not in libraries and "libicu" not in libraries.lower()
