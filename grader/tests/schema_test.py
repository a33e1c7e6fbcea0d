"""Validates the verdicts of judge --json against verdict.schema.json: schema_test.py SCHEMA FOLDER

Every file in FOLDER must be valid, and each verdict that the schema knows must be among them. Exits with 77 if there is
no jsonschema.
"""

import argparse
import json
import sys
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("jsonschema is missing; ./lab test installs it with requirements-grade.txt")
    sys.exit(77)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("schema", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    schema = json.loads(arguments.schema.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    found: set[str] = set()
    wrong: dict[str, list[str]] = {}  # message → the files that it concerns
    for file in sorted(arguments.folder.glob("*.json")):
        verdict = json.loads(file.read_text(encoding="utf-8"))
        found.add(verdict.get("verdict"))
        for error in validator.iter_errors(verdict):
            wrong.setdefault(f"{error.json_path}: {error.message[:300]}", []).append(file.name)
    for message, files in wrong.items():
        print(f"{message} ({len(files)} files, {files[0]} the first)")
    missing = set(schema["properties"]["verdict"]["enum"]) - found
    for kind in sorted(missing):
        print(f"{arguments.folder} holds no verdict {kind}")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
