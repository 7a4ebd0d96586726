"""Replays the calls of FiftyOne's backend as it sends them: no trailing slashes, a session, one large form."""

import json
import time

import urllib3
from media import pictures
from rows import expect, row

LABEL = {
    "name": "car",
    "attributes": [
        {"name": "color", "mutable": True, "input_type": "text", "default_value": "", "values": []}
    ],
}


class Session:
    """A client with cookies that sends Referer and X-CSRFToken, as that backend does."""

    def __init__(self, server):
        self.base = f"{server.host}/api"
        self.http = urllib3.PoolManager()
        self.cookies = {}

    def call(self, method, path, wanted=200, **sent):
        """Makes a call that must return the status which the backend expects; returns parsed JSON, if any."""
        address = path if path.startswith("http") else self.base + path
        headers = {
            "Referer": f"{self.base}/auth/login",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
        }
        if "csrftoken" in self.cookies:
            headers["X-CSRFToken"] = self.cookies["csrftoken"]
        answer = self.http.request(method, address, headers=headers, redirect=False, **sent)
        expect(answer.status, wanted, f"{method} {path}: {answer.data[:500]}")
        for cookie in answer.headers.getlist("set-cookie"):
            name, value = cookie.split(";", 1)[0].split("=", 1)
            self.cookies[name] = value
        is_json = "json" in answer.headers.get("content-type", "")
        return json.loads(answer.data) if is_json and answer.data else answer.data


def run(server, folder):
    """Makes the calls of the backend in its order."""
    session = Session(server)
    row("FiftyOne: login", log_in, session, server)
    row("FiftyOne: server/about, users?search=", who, session, server)
    project = row("FiftyOne: POST projects, GET projects?search=", create_project, session)
    task = row(
        "FiftyOne: POST tasks, one form to data, jobs appear",
        create_task,
        session,
        project,
        pictures(folder / "images", 4),
    )
    row("FiftyOne: labels?task_id=, attributes", labels, session, task)
    row("FiftyOne: PUT annotations answers all of them", put, session, task)
    row("FiftyOne: PUT annotations of a job", put_job, session, task)
    row("FiftyOne: PATCH job assignee, task assignee_id", assign, session, task)
    row("FiftyOne: tasks/ID/status", status, session, task)
    row("FiftyOne: tasks.url of a project", follow, session, project, task)
    row("FiftyOne: GET data/meta, annotations", read, session, task)
    row("FiftyOne: DELETE tasks, projects", delete, session, task, project)


def log_in(session, server):
    form = {"username": server.user, "email": "", "password": server.password}
    assert session.call("POST", "/auth/login", json=form)["key"]
    expect(sorted(session.cookies), ["csrftoken", "sessionid"], "cookies")


def who(session, server):
    assert session.call("GET", "/server/about")["version"].startswith("2.58")
    found = session.call("GET", f"/users?search={server.user}")["results"]
    expect([one["username"] for one in found], [server.user], "users")


def create_project(session):
    made = session.call("POST", "/projects", 201, json={"name": "fiftyone", "labels": [LABEL]})
    found = session.call("GET", "/projects?search=fiftyone")
    expect([one["id"] for one in found["results"]], [made["id"]], "projects of that name")
    expect(session.call("GET", f"/projects?id={made['id']}")["count"], 1, "the project of that id")
    return made["id"]


def create_task(session, project, images):
    spec = {
        "name": "fiftyone",
        "image_quality": 75,
        "segment_size": 2,
        "bug_tracker": "",
        "project_id": project,
    }
    task = session.call("POST", "/tasks", 201, json=spec)["id"]
    form = {
        "image_quality": "75",
        "use_cache": "True",
        "use_zip_chunks": "True",
        "sorting_method": "predefined",
    }
    for index, path in enumerate(images):
        form[f"client_files[{index}]"] = (f"{index:06}_{path.name}", path.read_bytes())
        form[f"upload_file_order[{index}]"] = f"{index:06}_{path.name}"
    session.call("POST", f"/tasks/{task}/data", 202, fields=form)
    expect(len(jobs_of(session, task)), 2, "jobs")
    expect(
        session.call("GET", f"/tasks/{task}")["size"],
        len(images),
        "frames, as soon as there are jobs",
    )
    return task


def jobs_of(session, task):
    """Polls until there are jobs."""
    import time

    for _ in range(600):
        jobs = session.call("GET", f"/jobs?task_id={task}")["results"]
        if jobs:
            return sorted(jobs, key=lambda job: job["start_frame"])
        time.sleep(0.05)
    raise AssertionError("no jobs came")


def labels(session, task):
    found = session.call("GET", f"/labels?task_id={task}")["results"]
    expect(
        [(one["name"], one["attributes"][0]["values"]) for one in found], [("car", [])], "labels"
    )
    return found[0]["id"], found[0]["attributes"][0]["id"]


def put(session, task):
    label, spec = labels_of(session, task)
    attributes = [{"spec_id": spec, "value": "red"}]
    shape = {
        "type": "rectangle",
        "label_id": label,
        "frame": 0,
        "points": [1, 2, 30, 40],
        "occluded": False,
        "z_order": 0,
        "group": 0,
        "attributes": attributes,
    }
    sent = {
        "version": 0,
        "tags": [{"label_id": label, "frame": 3, "group": 0, "attributes": []}],
        "shapes": [shape, {**shape, "frame": 2}],
        "tracks": [],
    }
    stored = session.call("PUT", f"/tasks/{task}/annotations", json=sent)
    counts = {kind: len(stored[kind]) for kind in ("tags", "shapes", "tracks")}
    expect(counts, {"tags": 1, "shapes": 2, "tracks": 0}, "the whole set")
    assert all(one["id"] for one in stored["shapes"] + stored["tags"])
    expect(stored["shapes"][0]["attributes"], attributes, "attributes by spec_id and value")


def labels_of(session, task):
    found = session.call("GET", f"/labels?task_id={task}")["results"][0]
    return found["id"], found["attributes"][0]["id"]


def put_job(session, task):
    label, _ = labels_of(session, task)
    job = jobs_of(session, task)[0]
    ellipse = {
        "type": "ellipse",
        "label_id": label,
        "frame": 0,
        "points": [20, 20, 30, 15],
        "occluded": False,
    }
    stored = session.call(
        "PUT",
        f"/jobs/{job['id']}/annotations",
        json={"version": 0, "tags": [], "shapes": [ellipse], "tracks": []},
    )
    expect(stored["shapes"][0]["points"], [20, 20, 30, 15], "points of an ellipse")


def assign(session, task):
    own = session.call("GET", "/users/self")["id"]
    job = jobs_of(session, task)[0]["id"]
    expect(
        session.call("PATCH", f"/jobs/{job}", json={"assignee": own})["assignee"]["id"],
        own,
        "of the job",
    )
    expect(
        session.call("PATCH", f"/tasks/{task}", json={"assignee_id": own})["assignee"]["id"],
        own,
        "of the task",
    )


def status(session, task):
    deadline = time.monotonic() + 30  # jobs appear a moment before the request that made them ends
    while (state := session.call("GET", f"/tasks/{task}/status")["state"]) == "Started":
        assert time.monotonic() < deadline, "the request does not end"
        time.sleep(0.1)
    expect(state, "Finished", "the state")
    session.call("GET", "/tasks/999999999/status", 404)


def follow(session, project, task):
    address = session.call("GET", f"/projects/{project}")["tasks"]["url"]
    assert address.startswith(session.base), address
    expect(
        [one["id"] for one in session.call("GET", address)["results"]],
        [task],
        "tasks of the project",
    )
    expect(session.call("GET", f"/tasks?id={task}")["count"], 1, "the task of that id")


def read(session, task):
    expect(len(session.call("GET", f"/tasks/{task}/data/meta")["frames"]), 4, "frames")
    found = session.call("GET", f"/tasks/{task}/annotations")
    expect((len(found["shapes"]), len(found["tags"])), (2, 1), "annotations")


def delete(session, task, project):
    session.call("DELETE", f"/tasks/{task}", 204)
    session.call("DELETE", f"/projects/{project}", 204)
    session.call("GET", f"/tasks/{task}", 404)
