"""Calls of an unmodified `cvat-sdk`, in the order in which users make them."""

import json
import urllib.parse

import around
import moving
from cvat_sdk import models
from cvat_sdk.core.helpers import make_request_headers
from cvat_sdk.core.client import AccessTokenCredentials, Client, Config
from cvat_sdk.core.proxies.annotations import AnnotationUpdateAction
from cvat_sdk.core.proxies.tasks import ResourceType
from cvat_sdk.version import VERSION
from jobs import first_job
from media import pictures
from rows import expect, row

# The version of the mount. Newer clients warn about an older server, and no longer try http automatically.
IS_SAME_VERSION = VERSION.startswith("2.58.")

LABELS = [
    {
        "name": "car",
        "attributes": [
            {
                "name": "color",
                "mutable": True,
                "input_type": "select",
                "default_value": "red",
                "values": ["red", "blue"],
            }
        ],
    },
    {"name": "road", "attributes": []},
]


def connect(host):
    """Returns a client that has only read the version of the server."""
    config = Config(status_check_period=0.05, allow_unsupported_server=not IS_SAME_VERSION)
    return Client(host, config=config)


def rectangle(label_id, frame=0, **more):
    return {
        "type": "rectangle",
        "frame": frame,
        "label_id": label_id,
        "points": [1.0, 2.0, 30.5, 40.25],
        **more,
    }


def run(server, folder):
    """Runs all rows against `server`, which has `host`, `user` and `password`, a `share` with files, a `receiver` of webhooks."""
    client = row("Client(): GET /server/about, anonymous", connect, server.host)
    if IS_SAME_VERSION:
        host = server.host.removeprefix("http://")
        row("Client() without a scheme: https, then http", connect, host)
    row("login(user, password): both cookies", client.login, (server.user, server.password))
    row("login(token)", by_token, server, client)
    row("low level: Token, Basic", low_level, server)
    project = row(
        "projects.create", client.projects.create, {"name": "Street scenes", "labels": LABELS}
    )
    row("projects.list, retrieve, update, fetch", project_crud, client, project)
    task = row("tasks.create_from_data(local)", create_local, client, project, folder)
    row("tasks.create_from_data(local), predefined order, TUS", create_separate, client, folder)
    row("tasks.create_from_data(share)", create_shared, client, server)
    row("tasks.create_from_data(remote)", create_remote, client, server)
    row("tasks.create without data", create_empty, client)
    row("tasks.list, jobs.list: pages, filters, sorting", lists, client, task)
    row("requests: list, retrieve, cancel", requests, client, task)
    row("requests: cancel", cancel, client, project)
    row("annotations: get, set, update, remove", annotations, client, task)
    row("annotations: ellipses, tracks, masks, skeletons", kinds, client, server, folder)
    row("meta, labels, jobs, issues, comments", media, client, task)
    moving.run(client, task, project, folder)
    around.run(server, client, project, task)
    row("remove, remove_by_ids", removals, client, task)
    row("logout", log_out, server)


def by_token(server, client):
    spec = models.AccessTokenWriteRequest(name="nightly", read_only=False)
    token, _ = client.api_client.auth_api.create_access_tokens(access_token_write_request=spec)
    with connect(server.host) as other:
        other.login(AccessTokenCredentials(token.value))
        expect(other.users.retrieve_current_user().username, server.user, "the user of the token")


def low_level(server):
    spec = models.LoginSerializerExRequest(username=server.user, password=server.password)
    with connect(server.host) as other:
        token = other.api_client.auth_api.create_login(spec)[0].key
    with connect(server.host) as other:
        other.api_client.set_default_header("Authorization", f"Token {token}")
        expect(other.users.retrieve_current_user().username, server.user, "the user of the key")
    with connect(server.host) as other:
        basic = other.api_client.configuration
        basic.username, basic.password = server.user, server.password
        expect(other.users.retrieve_current_user().username, server.user, "the user of Basic")


def project_crud(client, project):
    listed = client.projects.list()
    assert project.id in [one.id for one in listed], "the new project is listed"
    raw = json.loads(client.projects.list(return_json=True))
    assert set(raw[0]["labels"]) == {"url"}, f"labels are an address: {raw[0]['labels']}"
    project.update({"name": "Streets", "bug_tracker": "https://example.org/7"})
    expect(client.projects.retrieve(project.id).name, "Streets", "the new name")
    expect([label.name for label in project.fetch().get_labels()], ["car", "road"], "labels")
    expect(project.target_storage and project.target_storage.location.value, None, "target_storage")
    project.get_tasks()


def create_local(client, project, folder):
    paths = pictures(folder / "local", 7)
    task = client.tasks.create_from_data(
        spec={"name": "Batch 1", "project_id": project.id, "segment_size": 4, "overlap": 0},
        resource_type=ResourceType.LOCAL,
        resources=paths,
        data_params={
            "image_quality": 70,
            "chunk_size": 3,
            "use_cache": True,
            "sorting_method": "lexicographical",
        },
    )
    expect((task.size, task.status, task.jobs.count), (7, "annotation", 2), "size, status, jobs")
    return task


def create_separate(client, folder):
    """Files above the limit of one request use the resumable upload protocol."""
    from cvat_sdk.core.uploading import DataUploader

    paths = list(reversed(pictures(folder / "separate", 4)))
    task = client.tasks.create({"name": "Separate", "labels": [{"name": "car"}]})
    url = client.api_map.make_endpoint_url(
        task.api.create_data_endpoint.path, kwsub={"id": task.id}
    )
    uploader = DataUploader(client, max_request_size=1)
    response = uploader.upload_files(url, paths, image_quality=70, sorting_method="predefined")
    client.wait_for_completion(json.loads(response.data)["rq_id"])
    expect(
        [one.name for one in task.fetch().get_frames_info()], [path.name for path in paths], "order"
    )


def create_shared(client, server):
    task = client.tasks.create_from_data(
        spec={"name": "Shared", "labels": [{"name": "car"}]},
        resource_type=ResourceType.SHARE,
        resources=server.share,
        data_params={"image_quality": 70},
    )
    expect(task.size, len(server.share), "size")


def create_remote(client, server):
    address = server.receiver.replace("/hook", "/picture.png")
    task = client.tasks.create_from_data(
        spec={"name": "Remote", "labels": [{"name": "car"}]},
        resource_type=ResourceType.REMOTE,
        resources=[address],
        data_params={"image_quality": 70},
    )
    expect(task.size, 1, "size")


def cancel(client, project):
    """A queued or running export ends at once when it is cancelled, and its record shows that."""
    started, _ = client.api_client.projects_api.create_dataset_export(
        "COCO 1.0", project.id, save_images=True
    )
    _, answer = client.api_client.requests_api.create_cancel(started.rq_id, _check_status=False)
    if answer.status == 400:  # the export had already ended
        return
    ended, _ = client.api_client.requests_api.retrieve(started.rq_id)
    expect((ended.status.value, ended.message), ("failed", "Cancelled"), "status and message")


def create_empty(client):
    task = client.tasks.create({"name": "Empty", "labels": [{"name": "car"}]})
    expect((task.status, task.size, task.jobs.count), ("annotation", 0, 0), "status, size, jobs")
    expect(hasattr(task._model, "data"), False, "data of a task without")
    new = json.loads(
        client.api_client.tasks_api.list(status="annotation", name="Empty", _parse_response=False)[
            1
        ].data
    )
    expect(new["count"], 1, "tasks under annotation, those without jobs among them")
    task.remove()


def lists(client, task):
    tasks, _ = client.api_client.tasks_api.list(
        page=1,
        page_size=1,
        sort="-id",
        filter=json.dumps({"==": [{"var": "status"}, "annotation"]}),
    )
    assert "/as/cvat/api/tasks?" in tasks.next, tasks.next
    assert len(client.tasks.list()) >= 3
    jobs = [job for job in client.jobs.list() if job.task_id == task.id]
    expect([job.stage for job in jobs], ["annotation", "annotation"], "stages")
    job = client.jobs.retrieve(jobs[0].id)
    job.update({"stage": "validation", "state": "in progress", "assignee": None})
    expect(
        (job.stage, job.state, job.assignee), ("validation", "in progress", None), "the changed job"
    )
    job.update({"stage": "annotation"})


def requests(client, task):
    api = client.api_client.requests_api
    listed, _ = api.list(task_id=task.id)
    assert listed.count >= 1
    known = listed.results[0]
    again, _ = api.retrieve(known.id)
    expect((again.status.value, again.message), ("finished", ""), "status and message")
    raw = client.api_client.rest_client.GET(
        client.api_map.make_endpoint_url("/api/requests/" + urllib.parse.quote(known.id, safe="")),
        headers=make_request_headers(client.api_client),
    )
    expect(raw.status, 200, "the status of a quoted id")
    _, answer = api.create_cancel(known.id, _parse_response=False, _check_status=False)
    expect(answer.status, 400, "cancelling what is finished")


def annotations(client, task):
    car, road = [label.id for label in task.get_labels()]
    task.set_annotations(
        models.LabeledDataRequest(
            shapes=[rectangle(car), rectangle(road, 5, group=2)],
            tags=[{"frame": 1, "label_id": road}],
        )
    )
    found = task.get_annotations()
    expect((len(found.shapes), len(found.tags)), (2, 1), "what was set")
    expect(found.shapes[0].points, [1.0, 2.0, 30.5, 40.25], "points")
    job = first_job(task)
    job.update_annotations(
        models.PatchedLabeledDataRequest(shapes=[rectangle(car, 2)]),
        action=AnnotationUpdateAction.CREATE,
    )
    own = job.get_annotations().shapes
    grouped = next(one for one in task.get_annotations().shapes if one.group == 2)
    replaced = {"id": grouped.id, **rectangle(road, 5), "points": [0.0, 0.0, 5.0, 5.0]}
    task.update_annotations(
        models.PatchedLabeledDataRequest(shapes=[replaced, rectangle(car, 6)]),
        action=AnnotationUpdateAction.UPDATE,
    )
    after = {one.id: one for one in task.get_annotations().shapes}
    expect(
        (after[grouped.id].group, after[grouped.id].points),
        (0, [0.0, 0.0, 5.0, 5.0]),
        "an update replaces",
    )
    expect(
        len([one for one in after.values() if one.frame == 6]), 1, "an update without id makes one"
    )
    job.remove_annotations(ids=[own[0].id])
    expect(len(job.get_annotations().shapes), len(own) - 1, "what is left")
    job.remove_annotations()
    expect(job.get_annotations().shapes, [], "a job that was emptied")


def kinds(client, server, folder):
    skeleton = {
        "name": "person",
        "type": "skeleton",
        "sublabels": [{"name": "1", "type": "points", "attributes": []}],
        "svg": '<circle r="1" cx="10" cy="10" data-type="element node" data-element-id="1" data-node-id="1" data-label-name="1"></circle>',
    }
    task = client.tasks.create({"name": "Kinds", "labels": [{"name": "car"}, skeleton]})
    task.upload_data(pictures(folder / "kinds", 5), params={"image_quality": 70})
    car, person = sorted(task.get_labels(), key=lambda one: one.id)
    joint = person.sublabels[0].id
    ellipse = [32.0, 24.0, 42.5, 20.25]
    position = {"type": "ellipse", "points": ellipse, "occluded": False, "outside": False}
    track = {
        "frame": 0,
        "label_id": car.id,
        "shapes": [
            {**position, "frame": 0},
            {**position, "frame": 3, "points": [30.0, 24.0, 40.0, 20.0]},
        ],
    }
    person_shape = {
        "type": "skeleton",
        "frame": 1,
        "label_id": person.id,
        "elements": [{"type": "points", "frame": 1, "label_id": joint, "points": [3.0, 4.0]}],
    }
    mask = {
        "type": "mask",
        "frame": 2,
        "label_id": car.id,
        "points": [0.0, 4.0, 0.0, 0.0, 1.0, 1.0],
    }
    shapes = [{**position, "frame": 0, "label_id": car.id, "rotation": 15.0}, person_shape, mask]
    task.set_annotations(models.LabeledDataRequest(shapes=shapes, tracks=[track]))
    found = task.get_annotations()
    expect(found.shapes[0].points, ellipse, "points of an ellipse")
    expect(
        [one.points for one in found.tracks[0].shapes],
        [ellipse, [30.0, 24.0, 40.0, 20.0]],
        "points of a track",
    )
    raw = json.loads(task.api.retrieve_annotations(task.id, _parse_response=False)[1].data)
    assert "keyframe" not in raw["tracks"][0]["shapes"][0]
    service = server.service(f"/api/tasks/{task.id}/annotations")
    expect(service["shapes"][0]["points"], [32, 24, 10.5, 3.75], "points as the service has them")
    task.set_annotations(models.LabeledDataRequest(shapes=raw["shapes"], tracks=raw["tracks"]))
    expect(task.get_annotations().shapes[0].points, ellipse, "what was read and set again")


def media(client, task):
    meta = task.get_meta()
    expect((meta.size, meta.chunk_size, meta.deleted_frames), (7, 3, []), "meta")
    expect(
        (meta.frames[0].width, meta.frames[0].height, meta.frames[0].related_files),
        (64, 48, 0),
        "a frame",
    )
    job = first_job(task)
    expect(job.get_meta().size, 4, "frames of a job")
    expect([label.name for label in job.get_labels()], ["car", "road"], "labels of a job")
    issue = client.issues.create(
        {"job": job.id, "frame": 0, "position": [1.0, 2.0, 3.0, 4.0], "message": "look"}
    )
    expect([one.id for one in job.get_issues()], [issue.id], "issues")
    comment = client.comments.create({"issue": issue.id, "message": "again"})
    comment.update({"message": "done"})
    expect([one.message for one in issue.fetch().get_comments()], ["done", "look"], "comments")
    issue.update({"resolved": True})
    comment.remove()
    issue.remove()


def removals(client, task):
    client.tasks.remove_by_ids([task.id, 999_999_999])
    _, answer = client.api_client.tasks_api.retrieve(
        task.id, _parse_response=False, _check_status=False
    )
    expect(answer.status, 404, "a task that was removed")


def log_out(server):
    with connect(server.host) as client:
        client.login((server.user, server.password))
        client.logout()
        expect(bool(client.has_credentials()), False, "credentials")
