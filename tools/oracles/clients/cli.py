"""Runs the commands of `cvat-cli` in a shell against the CVAT-compatible mount."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

from media import names_in, pictures
from rows import expect, row


def run(server, folder):
    """Runs the commands in the order in which a new user needs them."""
    folder.mkdir(parents=True)

    def cli(*arguments, status=0):
        command = [
            str(Path(sys.executable).parent / "cvat-cli"),
            "--server-host",
            server.host,
            "--auth",
            server.user,
            *map(str, arguments),
        ]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PASS": server.password},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout.strip()

    labels = json.dumps([{"name": "car"}, {"name": "road"}])
    images = pictures(folder / "images", 3)
    project = row(
        "cvat-cli project create", cli, "project", "create", "From a shell", "--labels", labels
    )
    row("cvat-cli project ls", listed, cli, "project", project)
    task = row(
        "cvat-cli task create ... local",
        cli,
        "task",
        "create",
        "Shell task",
        "local",
        *images,
        "--project_id",
        project,
        "--completion_verification_period",
        "0.1",
    )
    row("cvat-cli task ls", listed, cli, "task", task)
    row("cvat-cli task frames", task_frames, cli, folder, task)
    row("cvat-cli task export-dataset", export, cli, folder, task)
    row("cvat-cli task import-dataset", cli, "task", "import-dataset", task, "dataset.zip")
    row("cvat-cli task backup", backup, cli, folder, task)
    restored = row(
        "cvat-cli task create-from-backup",
        cli,
        "task",
        "create-from-backup",
        "backup.zip",
        "--completion_verification_period",
        "0.1",
    )
    row(
        "cvat-cli task create ... with annotations",
        cli,
        "task",
        "create",
        "Annotated",
        "local",
        *images,
        "--labels",
        labels,
        "--annotation_path",
        "dataset.zip",
        "--annotation_format",
        "CVAT 1.1",
        "--completion_verification_period",
        "0.1",
    )
    row(
        "cvat-cli project create --dataset_path",
        cli,
        "project",
        "create",
        "Of a dataset",
        "--labels",
        labels,
        "--dataset_path",
        "dataset.zip",
        "--dataset_format",
        "CVAT 1.1",
        "--completion_verification_period",
        "0.1",
    )
    row("cvat-cli task delete", cli, "task", "delete", task, restored)
    row("cvat-cli project delete", cli, "project", "delete", project)
    row("cvat-cli with a token", with_token, server, folder)
    row("cvat-cli as docs/cvat.md shows it", documented, server, folder)
    row("cvat-cli: a failure has exit code 1", lambda: cli("task", "backup", "999999999", status=1))


def listed(cli, kind, made):
    assert made in cli(kind, "ls").split(), f"{made} is listed"
    assert int(made) in [one["id"] for one in json.loads(cli(kind, "ls", "--json"))]


def task_frames(cli, folder, task):
    cli("task", "frames", task, "0", "2", "--outdir", "frames")
    expect(len(list((folder / "frames").iterdir())), 2, "frames")


def export(cli, folder, task):
    cli(
        "task",
        "export-dataset",
        task,
        "dataset.zip",
        "--with-images",
        "yes",
        "--completion_verification_period",
        "0.1",
    )
    assert "annotations.xml" in names_in(folder / "dataset.zip")


def backup(cli, folder, task):
    cli("task", "backup", task, "backup.zip", "--completion_verification_period", "0.1")
    assert "task.json" in names_in(folder / "backup.zip")


def documented(server, folder):
    """Runs the marked commands of the document in one shell."""
    text = (server.root / "docs/cvat.md").read_text()
    lines = "".join(re.findall(r"<!-- executed by [^>]* -->\n```sh\n(.*?)```", text, re.DOTALL))
    place = folder / "documented"
    shutil.copytree(server.root / "scripts", place / "scripts")
    (place / "admin-password").write_text(server.password)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "API": f"{server.url}/api", "RETICLE_DATA_DIR": str(place), "PATH": path}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines],
        cwd=place,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "annotations.xml" in names_in(place / "dataset.zip")


def with_token(server, folder):
    request = urllib.request.Request(
        f"{server.url}/api/auth/access_tokens",
        data=b'{"name":"shell"}',
        headers={"Authorization": server.basic, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        token = json.load(answer)["value"]
    command = [
        str(Path(sys.executable).parent / "cvat-cli"),
        "--server-host",
        server.host,
        "project",
        "ls",
    ]
    subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "CVAT_ACCESS_TOKEN": token},
        check=True,
        capture_output=True,
    )
