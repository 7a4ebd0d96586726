"""Runs unmodified CVAT clients against a running server: `run.py URL PASSWORD SHARE RECEIVER FOLDER`."""

import base64
import json
import sys
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import cli
import fiftyone
import sdk
from rows import finish

url, password, share, receiver, folder = sys.argv[1:]
user = "admin"
basic = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def service(path):
    """Reads a record through the native mount."""
    request = urllib.request.Request(url + path, headers={"Authorization": basic})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


server = SimpleNamespace(
    url=url,
    basic=basic,
    root=Path(__file__).parents[3],
    host=f"{url}/as/cvat",
    user=user,
    password=password,
    service=service,
    share=[path.name for path in sorted(Path(share).iterdir())],
    receiver=receiver,
)
sdk.run(server, Path(folder) / "sdk")
cli.run(server, Path(folder) / "cli")
fiftyone.run(server, Path(folder) / "fiftyone")
sys.exit(finish())
