"""The OpenAPI document: valid, true to the service, and the service true to it."""

import json
import os
import pathlib
import subprocess
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from client import create, request
from figures import samples

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENT = json.loads((ROOT / "Sources/StaticFiles/openapi.json").read_text())
METHODS = {"get", "head", "post", "patch", "delete", "options"}


def resolved(node):
    """What a reference stands for."""
    while "$ref" in node:
        name = node["$ref"]
        node = DOCUMENT
        for part in name.removeprefix("#/").split("/"):
            node = node[part]
    return node


def media(node=DOCUMENT["paths"]):
    """Every (media type's name, its object) of the document, references followed."""
    if isinstance(node, dict) and "$ref" in node:
        node = resolved(node)
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        if name == "content":
            yield from child.items()
        elif name not in ("schema", "schemas", "example", "examples", "links"):
            yield from media(child)


def operations():
    return [
        (f"{method.upper()} {path}", operation)
        for path, item in DOCUMENT["paths"].items() for method, operation in item.items() if method in METHODS]


def validator(schema):
    return Draft202012Validator(
        {**schema, "components": DOCUMENT["components"]}, format_checker=Draft202012Validator.FORMAT_CHECKER)


def test_the_document_is_openapi_3_1():
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_each_example_fits_its_schema():
    count = 0
    for name, body in media():
        assert body["examples"], name
        for example in body["examples"].values():
            errors = [error.message for error in validator(body["schema"]).iter_errors(resolved(example)["value"])]
            assert errors == [], (name, example)
            count += 1
    assert count > 300


def test_each_operation_says_what_it_is_and_whom_it_serves():
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(set(ids)) == len(ids)
    for name, operation in operations():
        assert operation["summary"] and operation["tags"], name
        assert "security" in operation, name
        assert {"400", "411", "413", "414", "431", "500"} <= set(operation["responses"]), name


def test_each_problem_type_is_documented_with_its_status():
    problems = {
        schema["allOf"][1]["properties"]["type"]["const"]: schema["allOf"][1]["properties"]["status"]["const"]
        for name, schema in DOCUMENT["components"]["schemas"].items() if name.endswith("Problem") and "allOf" in schema}
    assert problems == {
        "/problems/malformed": 400, "/problems/unauthorized": 401, "/problems/forbidden": 403,
        "/problems/not-found": 404, "/problems/method-not-allowed": 405, "/problems/full": 409,
        "/problems/out-of-position": 409, "/problems/incomplete": 409, "/problems/held": 409,
        "/problems/not-held": 409, "/problems/conflict": 409, "/problems/closed": 410,
        "/problems/length-required": 411, "/problems/precondition-failed": 412, "/problems/too-large": 413,
        "/problems/unsupported-media-type": 415, "/problems/invalid": 422, "/problems/invalid-character": 422,
        "/problems/overflow": 422, "/problems/idempotency-key-reused": 422, "/problems/too-many": 429,
        "/problems/internal": 500, "/problems/unavailable": 503}


def test_bodies_of_requests_take_no_unknown_member():
    for name, operation in operations():
        for body in operation.get("requestBody", {}).get("content", {}).values():
            errors = validator(body["schema"]).iter_errors({"unknown": 1, "text": "1"})
            assert list(errors), name


def test_the_styles_of_the_document_are_those_of_the_program():
    files = {path.stem: json.loads(path.read_text()) for path in (ROOT / "Config/styles").glob("*.json")}
    schemas = DOCUMENT["components"]["schemas"]
    assert sorted(schemas["StyleName"]["enum"]) == sorted(files)
    options = {}
    for style in files.values():
        options.setdefault(style["layout"], set()).update(style["options"])
    for layout, names in options.items():
        schema = schemas[layout.capitalize() + "Style"]
        assert sorted(schema["properties"]["name"]["enum"]) == sorted(
            name for name, style in files.items() if style["layout"] == layout)
        assert set(schema["properties"]) - {"name"} == names, layout


def test_the_document_has_every_route_and_method_of_the_service(pinpad):
    served = request(pinpad, "GET", "/openapi.json").json
    assert served == DOCUMENT
    routes = {labels["route"] for name, labels, _ in samples(pinpad) if "route" in labels}
    for path, item in DOCUMENT["paths"].items():
        answer = request(pinpad, "OPTIONS", path.replace("{id}", create(pinpad).id).replace("{name}", "full"))
        assert answer.status == 204, path
        assert {method.lower() for method in answer.header("Allow").split(", ")} == set(item) & METHODS, path
    assert routes <= set(DOCUMENT["paths"])


SEED = 1


def test_schemathesis_finds_no_failure(start_pinpad, tmp_path):
    pinpad = start_pinpad()
    print("seed", SEED)
    here = pathlib.Path(__file__).parent
    ran = subprocess.run(
        [pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", here / "schemathesis.toml", "run",
         pinpad.url + "/openapi.json", "--seed", str(SEED), "--max-examples", "20", "--no-color"],
        cwd=tmp_path, env={**os.environ, "PINPAD_PORT": str(pinpad.port), "PINPAD_SEED": str(SEED), "PYTHONPATH": str(here)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    print(ran.stdout)
    assert ran.returncode == 0
    assert "Tested: 57" in ran.stdout
