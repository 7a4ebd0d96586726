import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { labelsChanged } from '@reticle/contracts/events/labels'
import { labelOf } from '@reticle/contracts/testing/records'
import { EarlyEvent } from '@reticle/kit/bus/bus'
import { markReceived } from '@reticle/kit/outbox/inbox'
import { testDb } from '@reticle/kit/testing/db'
import { eventOf } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { annotationHandlers } from '../annotations/rpc.ts'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { group } from '../deps.ts'
import { eventHandler } from '../events/consumer.ts'
import { box, track } from '../testing/objects.ts'
import { bodyOf, type FakeWorkspace, openService, user, whole } from '../testing/workspace.ts'

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { deps, service, setUp } = openService(db)
const handle = eventHandler(() => undefined, { historyDays: 90 })

const set = { tags: [{ frame: 0, label_id: 40 }], shapes: [box], tracks: [track(0, 3)] }
const empty = {
  replaced_labels: [],
  replaced_specs: [],
  deleted_label_ids: [],
  deleted_spec_ids: [],
}

/** Changes labels as projects-svc does; the event is pending until the returned function delivers it. */
function announce({ workspace, task_id }: Opened, change: object, labels: FakeWorkspace['labels']) {
  const id = randomUUID()
  workspace.labels = labels
  workspace.label_events.push(id)
  const data = { project_id: null, task_id, task_ids: [task_id], ...empty, ...change }
  const { labels_revision } = labels
  return deliver(id, { ...data, labels_revision })
}

/** Delivers the event like the bus: through the inbox, in the transaction of the effect. */
const deliver = (id: string, data: Parameters<typeof labelsChanged.key>[0]) => () =>
  db.transaction().execute(async (tx) => {
    await markReceived(tx, group, id)
    await handle(tx, eventOf(labelsChanged, data, { id }), () => undefined)
  })

type Opened = ReturnType<typeof setUp>

/** Moves the task into a project whose only label, 140, replaces label 40; its attributes are deleted. */
const move = (opened: Opened) =>
  announce(
    opened,
    { replaced_labels: [{ from: 40, to: 140 }] },
    { labels_revision: 1, labels: [labelOf({ id: 140 })] },
  )

/** Deletes label 40 of the task. */
const deleteLabel = (opened: Opened) => {
  const labels = opened.workspace.labels.labels.filter((one) => one.id !== 40)
  return announce(opened, { deleted_label_ids: [40] }, { labels_revision: 2, labels })
}

const labelIds = (found: { tags: Labelled[]; shapes: Labelled[]; tracks: Labelled[] }) =>
  [...found.tags, ...found.shapes, ...found.tracks].map((one) => one.label_id)
type Labelled = { label_id: number }

const json = async (answer: Promise<{ chunks: AsyncIterable<Uint8Array> }>) =>
  JSON.parse(await text((await answer).chunks))

/** Readers by name; each returns the label ids that it read. */
const readers: Record<string, (opened: Opened) => Promise<unknown>> = {
  'a GET of a job': async ({ job }) => labelIds((await job.get()).set),
  'a GET of a task': async ({ task }) => labelIds((await task.get()).set),
  'interpolated positions': async ({ task }) =>
    labelIds((await task.get({ interpolate: true })).set),
  'a GET of some frames': async ({ job }) =>
    labelIds((await job.get({ frames: [{ first: 0, last: 2 }] })).set),
  'row lines of an export': async ({ task_id: id }) => {
    const { chunks } = await service.readRows({ target: 'task', id }, user())
    const lines = (await text(chunks)).split('\n').filter((line) => /^(tag|shape|track)/.test(line))
    return lines.map((line) => (line.includes('140') ? 140 : line))
  },
  statistics: async ({ task_id: id }) => {
    const selection = { id, labels: true, authors: false }
    const { labels } = await json(service.getTaskAnnotationStatistics(selection, user()))
    return labels.flatMap((one: { label_id: number; tags: number; shapes: number }) => [
      ...Array(3).fill(one.label_id),
    ])
  },
}

describe('a read that starts before the event was handled', () => {
  test.each(Object.entries(readers))(
    'a moved task is read with its new labels: %s',
    async (_, read) => {
      const opened = setUp()
      await opened.job.put(set)
      const handled = move(opened)
      const reading = read(opened)
      await expectPending(reading)
      await handled()
      expect(await reading).toEqual([140, 140, 140])
    },
  )

  test('objects of a deleted label are not read, and the entity tag is that of the next read', async () => {
    const opened = setUp()
    await opened.job.put(set)
    const handled = deleteLabel(opened)
    const reading = opened.job.get()
    const tag = service.getRevision({ target: 'job', id: opened.job_id }, user())
    await expectPending(reading)
    await handled()
    const found = await reading
    expect(labelIds(found.set)).toEqual([])
    expect([(await tag).etag, (await opened.job.get()).etag]).toEqual([found.etag, found.etag])
  })

  test('history is read with the new labels and can be restored', async () => {
    const opened = setUp()
    const { job_id: id, job } = opened
    await job.put(set)
    await job.put({ shapes: [] })
    const handled = move(opened)
    const diff = json(service.getJobAnnotationsDiff({ id, from: 1, to: 2 }, user()))
    const revision = json(
      service.getJobRevision({ id, revision: 1, frames: [], label_id: [] }, user()),
    )
    await expectPending(diff)
    await handled()
    expect(labelIds((await diff).deleted)).toEqual([140, 140, 140])
    expect(labelIds(await revision)).toEqual([140, 140, 140])
    const restored = await json(service.restoreJobRevision({ id, revision: 1 }, user()))
    expect(labelIds(restored)).toEqual([140, 140, 140])
  })
})

describe('a write that starts before the event was handled', () => {
  test.each([
    ['replaces', 'put', [140]],
    ['creates', 'create', [140, 140, 140, 140]],
  ])('a write %s objects with the new labels and without a conflict', async (_, way, expected) => {
    const opened = setUp()
    await opened.job.put(set)
    const handled = move(opened)
    const body = { shapes: [{ ...box, label_id: 140 }] }
    const writing = way === 'put' ? opened.job.put(body) : opened.job.patch(way, body)
    await expectPending(writing)
    await handled()
    await writing
    expect(labelIds((await opened.job.get()).set)).toEqual(expected)
  })

  test('an update keeps the id of the object', async () => {
    const opened = setUp()
    const { set: before } = await opened.job.put({ shapes: [box] })
    const handled = move(opened)
    const update = { id: before.shapes[0]?.id, label_id: 140, points: [1, 2, 3, 4] }
    const writing = opened.job.patch('update', { shapes: [update] })
    await expectPending(writing)
    await handled()
    expect((await writing).set.shapes).toMatchObject([{ label_id: 140, points: [1, 2, 3, 4] }])
  })

  test('a write to a job without a row does not wait while it holds locks that the event needs', async () => {
    const opened = setUp()
    const id = randomUUID()
    async function* body() {
      opened.workspace.label_events.push(id)
      yield* bodyOf({ shapes: [box] })
    }
    const write = service.replaceJobAnnotations({ id: opened.job_id, body: body() }, user())
    expect(JSON.parse(await text((await write).chunks)).shapes).toHaveLength(1)
  })
})

test('a call whose event does not arrive in time fails with 503 and a retry time', async () => {
  const settings = { ...deps.settings, labelsWaitMs: 30 }
  const hasty = annotationHandlers({ ...deps, settings })
  const opened = setUp()
  const { job_id: id, task_id } = opened
  await opened.job.put(set)
  const handled = move(opened)
  const failure = { kind: 'unavailable', code: 'labels_pending', retry_after: 5 }
  await expect(hasty.getJobAnnotations({ id, ...whole }, user())).rejects.toMatchObject(failure)
  const statistics = { id: task_id, labels: false, authors: false }
  await expect(hasty.getTaskAnnotationStatistics(statistics, user())).rejects.toMatchObject(failure)
  await handled()
  expect(labelIds((await opened.job.get()).set)).toEqual([140, 140, 140])
})

describe('label events with different keys', () => {
  /** Deletes, in the project, the label that a pending move gives to the objects. */
  function deletionAfterMove() {
    const opened = setUp()
    const moved = move(opened)
    const [first = ''] = opened.workspace.label_events
    const data = { project_id: 7, task_id: null, task_ids: [opened.task_id], ...empty }
    const change = { ...data, deleted_label_ids: [140], labels_revision: 2, follows: [first] }
    return { opened, moved, first, deleted: deliver(randomUUID(), change) }
  }

  test('events are handled in the order in which they were emitted', async () => {
    const { opened, moved, deleted } = deletionAfterMove()
    const { job } = opened
    await expect(deleted()).rejects.toThrow(EarlyEvent)
    await moved()
    await deleted()
    expect(labelIds((await job.get()).set)).toEqual([])
  })

  test('events do not wait for one that was moved to dead events', async () => {
    const { first, deleted } = deletionAfterMove()
    await sql`insert into dead_events (consumer, event_id, topic, partition, "offset", key, headers, value, error)
      values (${group}, ${first}, 'reticle.events.v1', 0, 0, 'k', '{}', '{}', 'broken')`.execute(db)
    await expect(deleted()).resolves.toBeUndefined()
  })
})

/** Passes when the call is still pending after similar calls on another task have completed. */
async function expectPending(call: Promise<unknown>): Promise<void> {
  const waiting = Symbol('waiting')
  const others = async () => {
    const { job, task } = setUp()
    for (let round = 0; round < 3; round++) {
      await job.put(set)
      await job.patch('create', { shapes: [box] })
      await task.get()
    }
    return waiting
  }
  expect(await Promise.race([call, others()])).toBe(waiting)
}
