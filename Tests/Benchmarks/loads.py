"""The two load generators, load/requests.c and load/streams.c."""

import contextlib
import json
import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).with_name("load")


def build(folder):
    for name in ("requests", "streams"):
        subprocess.run(
            ["cc", "-std=gnu2x", "-D_GNU_SOURCE", "-O2", FOLDER / f"{name}.c", "-lm", "-o", folder / name], check=True)


def _checked(answer):
    strange = {status: count for status, count in answer["statuses"].items() if not status.startswith("2")}
    if strange:
        raise SystemExit(f"these answers were not 2xx, so nothing was measured: {strange}")
    return answer


class Load:
    """Makes requests, and streams, with the generators in `folder`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        build(self.folder)

    def requests(self, port, sessions, *steps, **options):
        """Makes requests (the options are those of the program) and returns what it prints; all must be 2xx."""
        words = [self.folder / "requests"]
        for name, value in options.items():
            words += [f"-{name}", str(value)]
        done = subprocess.run([*words, str(port), sessions, *steps], stdout=subprocess.PIPE, text=True, check=True)
        return _checked(json.loads(done.stdout))

    def create(self, port, count, path, body="{}", **options):
        """Creates sessions, and writes them to a file for `requests`."""
        endpoint = self.folder / "creation"
        # One line for each connection.
        endpoint.write_text("/v1/sessions\t\n" * 32)
        return self.requests(port, endpoint, f"POST - {body}", n=count, o=path, **options)

    @contextlib.contextmanager
    def streams(self, port, targets, *options):
        """Opens streams; what it gives is called to post, and returns what the program prints then."""
        process = subprocess.Popen(
            [self.folder / "streams", *map(str, options), str(port), targets],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            opened = process.stdout.readline()
            if not opened:
                raise SystemExit("the streams do not open")
            yield json.loads(opened), lambda: self._post(process)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

    @staticmethod
    def _post(process):
        process.stdin.write("\n")
        process.stdin.flush()
        posted = process.stdout.readline()
        if not posted:
            raise SystemExit("the streams broke off")
        return json.loads(posted)
