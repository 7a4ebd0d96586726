"""Transfers of an unmodified `cvat-sdk`: images, exports, imports, backups and restores."""

from cvat_sdk import models
from cvat_sdk.core.helpers import make_request_headers
from cvat_sdk.core.proxies.types import Location
from jobs import first_job, last_job
from media import names_in, opens
from rows import expect, row


def run(client, task, project, folder):
    """Runs the rows; `task` belongs to `project`."""
    row("frames, chunks, previews", frames, client, task, folder)
    row("datasets.TaskDataset: chunks, meta and annotations", dataset, client, task)
    row("TUS: HEAD of a file that is on its way", head_of_file, client, task)
    row("jobs.create (ground truth), validation layouts, status", ground_truth, client, task)
    row("remove_frames_by_ids", remove_frames, task)
    row("export_dataset", export_dataset, client, task, project, folder)
    row("import_annotations", import_annotations, client, task, folder)
    row("project.import_dataset", import_dataset, client, project, folder)
    row("download_backup, create_from_backup", backups, client, task, project, folder)


def export_dataset(client, task, project, folder):
    for name in (
        "CVAT for images 1.1",
        "CVAT for video 1.1",
        "COCO 1.0",
        "PASCAL VOC 1.1",
        "YOLO 1.1",
    ):
        path = folder / f"{name.replace(' ', '_')}.zip"
        task.export_dataset(name, path, include_images=True)
        assert names_in(path), name
    (folder / "into").mkdir()
    job = first_job(task)
    job.export_dataset(
        "CVAT for images 1.1", folder / "into", include_images=False, location=Location.LOCAL
    )
    project.fetch().export_dataset("COCO 1.0", folder / "into", include_images=False)
    expect(len(list((folder / "into").iterdir())), 2, "files with the server's names")


def import_annotations(client, task, folder):
    path = folder / "CVAT_for_images_1.1.zip"
    before = len(task.get_annotations().shapes)
    assert before > 0
    task.remove_annotations()
    task.import_annotations("CVAT 1.1", path)
    expect(len(task.get_annotations().shapes), before, "shapes that came back")
    first_job(task).import_annotations("CVAT XML 1.1", path)
    task.import_annotations("COCO 1.0", folder / "COCO_1.0.zip", conv_mask_to_poly=True)


def import_dataset(client, project, folder):
    project.import_dataset("COCO 1.0", folder / "COCO_1.0.zip")
    made = client.projects.create_from_dataset(
        {"name": "From a dataset", "labels": [{"name": "car"}, {"name": "road"}]},
        dataset_path=folder / "COCO_1.0.zip",
        dataset_format="COCO 1.0",
    )
    expect(made.tasks.count, 1, "tasks of the data set")


def backups(client, task, project, folder):
    path = task.download_backup(folder / "task.zip", lightweight=False)
    restored = client.tasks.create_from_backup(path)
    expect((restored.size, restored.name), (7, "Batch 1"), "the restored task")
    path = project.download_backup(folder / "project.zip")
    again = client.projects.create_from_backup(path)
    expect(again.name, "Streets", "the restored project")


def frames(client, task, folder):
    for quality in ("original", "compressed"):
        expect(opens(task.get_frame(0, quality=quality)).size, (64, 48), quality)
    with open(folder / "chunk.zip", "wb") as output:
        task.download_chunk(0, output, quality="compressed")
    expect(len(names_in(folder / "chunk.zip")), 3, "frames of a chunk")
    opens(task.get_preview())
    job = last_job(task)
    expect(
        opens(job.get_frame(job.start_frame, quality="original")).size, (64, 48), "a frame of a job"
    )
    opens(job.get_preview())
    opens(client.projects.retrieve(task.project_id).get_preview())
    task.download_frames(
        [0, 1],
        outdir=folder / "frames",
        quality="original",
        filename_pattern="f_{frame_id:06d}{frame_ext}",
    )
    expect(
        sorted(path.name for path in (folder / "frames").iterdir()),
        ["f_000000.png", "f_000001.png"],
        "files",
    )
    job.download_frames([job.start_frame], outdir=folder / "frames", quality="compressed")


def dataset(client, task):
    from cvat_sdk.datasets import TaskDataset

    found = TaskDataset(client, task.id)
    expect(len(found.samples), 7, "samples")
    expect(found.samples[0].media.load_image().size, (64, 48), "a picture")
    expect([label.name for label in found.labels], ["car", "road"], "labels")
    shapes = sum(len(sample.annotations.shapes) for sample in found.samples)
    expect(shapes, len(task.get_annotations().shapes), "shapes")


def head_of_file(client, task):
    rest = client.api_client.rest_client
    url = client.api_map.make_endpoint_url(f"/api/tasks/{task.id}/annotations/")
    tus = {**make_request_headers(client.api_client), "Tus-Resumable": "1.0.0"}
    begun = rest.POST(
        url, headers={**tus, "Upload-Length": "10", "Upload-Metadata": "filename YS54bWw="}
    )
    location = begun.headers["Location"]
    assert location.startswith(url), location
    rest.PATCH(
        location,
        headers={**tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"},
        body=b"12345",
    )
    expect(rest.HEAD(location, headers=tus).headers["Upload-Offset"], "5", "the offset")


def remove_frames(task):
    task.remove_frames_by_ids([6])
    expect(task.get_meta().deleted_frames, [6], "deleted frames")
    job = first_job(task)
    job.remove_frames_by_ids([1])
    expect(job.get_meta().deleted_frames, [1], "deleted frames of a job")
    none = models.PatchedDataMetaWriteRequest(deleted_frames=[])
    restored, _ = task.api.partial_update_data_meta(task.id, patched_data_meta_write_request=none)
    expect(restored.deleted_frames, [], "no deleted frames")


def ground_truth(client, task):
    api = client.api_client
    spec = models.JobWriteRequest(
        type="ground_truth", task_id=task.id, frame_selection_method="manual", frames=[0, 5]
    )
    job, _ = api.jobs_api.create(spec)
    expect((job.type, job.frame_count), ("ground_truth", 2), "type and frames")
    layout, _ = api.tasks_api.retrieve_validation_layout(task.id)
    expect((layout.mode.value, layout.validation_frames), ("gt", [0, 5]), "the layout")
    api.jobs_api.retrieve_validation_layout(job.id)
    expect(api.tasks_api.retrieve_status(task.id)[0].state.value, "Finished", "the state")
    api.jobs_api.destroy(job.id)
    none, _ = api.tasks_api.retrieve_validation_layout(task.id)
    expect(none.mode, None, "no mode")
