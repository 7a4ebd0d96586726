"""Calls a running server with the client that was generated from docs/openapi.json into the current folder.

Usage: generated_client.py URL USER PASSWORD, in the folder of `reticle_client`. Exits with 1 after an unexpected answer.
"""

import base64
import sys
from http import HTTPStatus
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

from reticle_client import AuthenticatedClient  # noqa: E402
from reticle_client.api.project import create_project, get_project, list_projects  # noqa: E402
from reticle_client.api.server import list_formats  # noqa: E402
from reticle_client.models import FailureDetail, FailureOfFields, LabelWrite, ProjectCreate  # noqa: E402


def main(url, user, password):
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    client = AuthenticatedClient(base_url=url, token=token, prefix="Basic")

    body = ProjectCreate(name="by a generated client", labels=[LabelWrite(name="car")])
    made = create_project.sync(client=client, body=body)
    assert made.name == body.name and made.labels[0].name == "car", made

    page = list_projects.sync(client=client, sort="-id")
    assert [one.id for one in page.results] == [made.id] and page.count == 1, page

    missing = get_project.sync_detailed(str(made.id + 1), client=client)
    assert missing.status_code == HTTPStatus.NOT_FOUND, missing
    assert isinstance(missing.parsed, FailureDetail) and missing.parsed.code == "not_found", missing

    refused = create_project.sync(client=client, body=ProjectCreate(name=""))
    assert isinstance(refused, FailureOfFields) and refused["name"], refused

    assert any(one.name.startswith("COCO") for one in list_formats.sync(client=client).exporters)


if __name__ == "__main__":
    main(*sys.argv[1:])
