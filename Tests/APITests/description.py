"""The description of the API, and the comparison of responses with it, down to each property."""

import copy
import pathlib

import jsonschema_rs
import requests
import yaml

METHODS = ("get", "put", "post", "patch", "delete")


def _closed(schema):
    """Returns a schema that refuses additional properties, so that every new property must be described."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    if isinstance(closed.get("properties"), dict) and "type" in closed:
        closed.setdefault("additionalProperties", False)
    return closed


class Description:
    """The OpenAPI document. `operations` has the methods and paths of the API, and of the routes for players that
    respond with JSON. `documents` has the paths without parameters whose `GET` responds with JSON."""

    def __init__(self, file: pathlib.Path):
        self.document = yaml.safe_load(file.read_text())
        self._schemas = _closed(copy.deepcopy(self.document["components"]["schemas"]))
        self.operations = {
            (method.upper(), path)
            for path, item in self.document["paths"].items()
            for method in item
            if method in METHODS and ("players" not in item[method]["tags"] or self._is_json(item[method]))
        }
        self.documents = {
            path
            for path, item in self.document["paths"].items()
            if "{" not in path and "get" in item and self._is_json(item["get"])
        }

    def _is_json(self, operation: dict) -> bool:
        return "application/json" in operation["responses"]["200"].get("content", {})

    def _resolved(self, value):
        while isinstance(value, dict) and "$ref" in value:
            target = self.document
            for name in value["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            value = target
        return value

    def errors(self, schema: dict, value) -> list[str]:
        """Returns the violations of a schema by a value."""
        whole = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": {"schemas": self._schemas},
            **_closed(schema),
        }
        validator = jsonschema_rs.validator_for(whole, validate_formats=False)
        return [f"{error.message} at /{'/'.join(map(str, error.instance_path))}" for error in validator.iter_errors(value)]

    def faults(self, method: str, path: str, answer: requests.Response) -> list[str]:
        """Returns the differences between a response and its description."""
        responses = self.document["paths"][path][method.lower()]["responses"]
        response = self._resolved(responses.get(str(answer.status_code)))
        if response is None:
            return [f"status {answer.status_code} isn't described: {answer.text[:200]}"]
        faults = []
        for name, header in response.get("headers", {}).items():
            if self._resolved(header).get("required") and name not in answer.headers:
                faults.append(f"the field {name} is missing")
        content = response.get("content")
        if content is None:
            return faults + (["there is content where none is described"] if answer.content else [])
        media_type = answer.headers.get("Content-Type", "").split(";")[0]
        kind = media_type if media_type in content else media_type.split("/")[0] + "/*"
        if kind not in content:
            return faults + [f"the content type {media_type} isn't described"]
        if media_type.endswith("json"):
            faults += self.errors(content[kind]["schema"], answer.json())
        return faults
