"""Calls of an unmodified `cvat-sdk` on users, webhooks, tokens, guides and the server."""

import io
import json

from cvat_sdk import models
from cvat_sdk.core.helpers import make_request_headers
from PIL import Image
from rows import expect, row


def run(server, client, project, task):
    """Runs the rows with an existing `project` and `task`."""
    row("organizations, memberships, invitations", organizations, client, server)
    row(
        "webhooks: create, update, ping, deliveries, redelivery, events",
        webhooks,
        client,
        project,
        server,
    )
    row("auth/access_tokens", access_tokens, client)
    row("guides, assets", guides, client, project)
    row("server: formats, plugins, share", server_calls, client)
    row("what is not there: lambda, quality, consensus", missing, client)
    row("users", users, client, server)
    row("cloud storages: refused ones", cloud_storages, client)
    row("events: sent", events, client)


def organizations(client, server):
    organization = client.organizations.create({"slug": "acme"})
    expect(organization.owner.username, server.user, "the owner")
    organization.update({"name": "Acme Vision"})
    with client.organization_context("acme"):
        expect(client.projects.list(), [], "projects of the organization")
        task = client.tasks.create({"name": "Inside", "labels": [{"name": "car"}]})
        expect(task.organization, organization.id, "the organization of a task")
        api = client.api_client.invitations_api
        invited, _ = api.create({"role": "worker", "email": "new@example.org"})
        expect(invited.role.value, "worker", "the role of the invitation")
        api.list()
        api.destroy(invited.key)
        memberships, _ = client.api_client.memberships_api.list()
        expect([one.role for one in memberships.results], ["owner"], "roles")
        task.remove()
    with client.organization_context(""):
        client.tasks.list()
    organization.remove()


def webhooks(client, project, server):
    api = client.api_client.webhooks_api
    spec = models.WebhookWriteRequest(
        target_url=server.receiver,
        type=models.WebhookType("project"),
        project_id=project.id,
        events=[models.EventsEnum("create:task"), models.EventsEnum("update:task")],
        content_type=models.WebhookContentType("application/json"),
        secret="s",
        is_active=True,
        enable_ssl=False,
    )
    webhook, _ = api.create(spec)
    expect([event.value for event in webhook.events], ["create:task", "update:task"], "events")
    changed, _ = api.partial_update(
        webhook.id,
        patched_webhook_write_request=models.PatchedWebhookWriteRequest(
            description="ci", events=[models.EventsEnum("update:job")]
        ),
    )
    expect([event.value for event in changed.events], ["update:job"], "changed events")
    ping, _ = api.create_ping(webhook.id)
    expect(ping.status_code, 200, "the answer to a ping")
    # Models declare an object before 2.67, any value since.
    answer = ping.response if isinstance(ping.response, dict) else json.loads(ping.response)
    expect(answer, {"ok": True}, "what was answered")
    deliveries, _ = api.list_deliveries(webhook.id)
    expect(deliveries.count, 1, "deliveries")
    delivery, _ = api.retrieve_deliveries(str(deliveries.results[0].id), webhook.id)
    expect(delivery.event, "ping", "the event")
    api.create_deliveries_redelivery(str(delivery.id), webhook.id)
    events, _ = api.retrieve_events(type="project")
    # these are objects since 2.73
    assert "create:task" in [getattr(event, "key", None) or event.value for event in events.events]
    expect(api.list()[0].count, 1, "webhooks")
    api.destroy(webhook.id)


def access_tokens(client):
    from datetime import datetime, timezone

    api = client.api_client.auth_api
    until = datetime(2099, 12, 31, 10, 20, 30, tzinfo=timezone.utc)
    made, _ = api.create_access_tokens(
        access_token_write_request=models.AccessTokenWriteRequest(name="ci", expiry_date=until)
    )
    expect((made.expiry_date, made.read_only), (until, True), "expiry and rights")
    api.partial_update_access_tokens(
        made.id,
        patched_access_token_write_request=models.PatchedAccessTokenWriteRequest(expiry_date=None),
    )
    expect(api.retrieve_access_tokens(made.id)[0].expiry_date, None, "no expiry")
    assert made.id in [one.id for one in api.list_access_tokens()[0].results]
    api.destroy_access_tokens(made.id)


def guides(client, project):
    api = client.api_client.guides_api
    spec = models.AnnotationGuideWriteRequest(project_id=project.id, markdown="# Draw cars")
    guide, _ = api.create(annotation_guide_write_request=spec)
    expect(api.retrieve(guide.id)[0].markdown, "# Draw cars", "the guide")
    api.partial_update(
        guide.id,
        patched_annotation_guide_write_request=models.PatchedAnnotationGuideWriteRequest(
            markdown="# All"
        ),
    )
    expect(project.fetch().guide_id, guide.id, "the guide of the project")
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(picture, "PNG")
    picture.seek(0)
    picture.name = "guide.png"
    sent = client.api_client.rest_client.POST(
        client.api_map.make_endpoint_url("/api/assets"),
        headers={**make_request_headers(client.api_client), "Content-Type": "multipart/form-data"},
        post_params={
            "guide_id": str(guide.id),
            "file": (picture.name, picture.read(), "image/png"),
        },
    )
    expect(json.loads(sent.data)["filename"], "guide.png", "the name of the asset")
    api.destroy(guide.id)


def server_calls(client):
    api = client.api_client.server_api
    formats, _ = api.retrieve_annotation_formats()
    names = [one.name for one in formats.exporters]
    assert "CVAT for images 1.1" in names and "PASCAL VOC 1.1" in names, names
    assert not [one for one in names if one.startswith(("Service", "TFRecord"))], names
    assert "CVAT 1.1" in [one.name for one in formats.importers]
    api.retrieve_plugins()
    api.list_share()


def users(client, server):
    expect(client.users.retrieve_current_user().username, server.user, "the user")
    client.users.list()


def cloud_storages(client):
    api = client.api_client.cloudstorages_api
    expect(api.list()[0].count, 0, "cloud storages")


def events(client):
    spec = {
        "events": [{"scope": "load:cvat", "timestamp": "2026-03-01T10:00:00Z"}],
        "timestamp": "2026-03-01T10:00:00Z",
    }
    answer = client.api_client.rest_client.POST(
        client.api_map.make_endpoint_url("/api/events"),
        headers={**make_request_headers(client.api_client), "Content-Type": "application/json"},
        body=spec,
    )
    expect(answer.status, 201, "the status of events")


def missing(client):
    rest = client.api_client.rest_client
    for path in ("lambda/functions", "quality/settings", "consensus/settings"):
        url = client.api_map.make_endpoint_url(f"/api/{path}")
        expect(
            rest.GET(
                url, headers=make_request_headers(client.api_client), _check_status=False
            ).status,
            404,
            path,
        )
