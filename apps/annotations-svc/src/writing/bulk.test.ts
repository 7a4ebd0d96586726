import { randomUUID } from 'node:crypto'
import { annotations } from '@reticle/contracts/api/annotations'
import type { Shape, Tag } from '@reticle/contracts/rest/annotations'
import {
  decodeRows,
  encodeShape,
  encodeTag,
  encodeTrack,
  rowLinesHeader,
} from '@reticle/contracts/row-lines'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { annotationHandlers } from '../annotations/rpc.ts'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { objectOf } from '../reading/objects.ts'
import { bodyOf, depsOf, openWorkspace, openWorkspaces, user } from '../testing/workspace.ts'

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { workspaces, add } = openWorkspaces()
const deps = depsOf(db, workspaces)
// The limit of one request does not apply to files.
const settings = { ...deps.settings, maxObjects: 4 }
const handlers = annotationHandlers({ ...deps, settings })

const named = { id: null, label_id: 40, group: 0, source: 'file' as const, attributes: [] }
const tag = (frame: number): Tag => ({ ...named, frame })
const box = (frame: number): Shape => ({
  ...named,
  ...{ type: 'rectangle', frame, score: 1, occluded: false, outside: false, z_order: 0 },
  ...{ rotation: 0, points: [1, 2, 3, 4.5], elements: [] },
})
const place = { occluded: false, outside: false, z_order: 0, rotation: 0, attributes: [] }
const keyframe = (frame: number) => ({
  ...place,
  ...{ id: null, type: 'rectangle' as const, frame, keyframe: true, points: [0, 0, 1, 1] },
})
const track = (...frames: number[]) => ({
  ...named,
  ...{ frame: frames[0] ?? 0, shapes: frames.map(keyframe), elements: [] },
})

describe.each(transports)('row lines over %s', (transport) => {
  const service = overTransport(transport, annotations, handlers)
  const setUp = () => {
    const opened = openWorkspace(service, add)
    const query = { target: 'task' as const, id: opened.task_id }
    const write = (
      lines: string[],
      given: Partial<Omit<Parameters<typeof service.writeRows>[0], 'body'>> = {},
    ) => {
      const body = bodyOf(rowLinesHeader + lines.join(''))
      return service.writeRows(
        { ...query, mode: 'replace', call_id: randomUUID(), body, ...given },
        user(),
      )
    }
    const read = async () => {
      const { head, chunks } = await service.readRows(query, user())
      const objects: ReturnType<typeof objectOf>[] = []
      for await (const rows of decodeRows(chunks)) objects.push(...rows.map(objectOf))
      return { etag: head.etag, objects }
    }
    return { ...opened, query, write, read }
  }

  test('row lines become annotations and are read again by kind, frame and id', async () => {
    const { write, read, task } = setUp()
    const lines = [
      encodeTrack(track(6, 11)),
      encodeShape(box(9)),
      encodeTrack(track(2, 3)),
      encodeShape(box(0)),
      encodeTag(tag(4)),
    ]
    expect(await write(lines)).toEqual({ tags: 1, shapes: 2, tracks: 2, duplicates: 0 })
    const { objects, etag } = await read()
    expect(objects.map(({ kind, object }) => [kind, object.frame])).toEqual([
      ['tag', 4],
      ['shape', 0],
      ['shape', 9],
      ['track', 2],
      ['track', 6],
    ])
    const { set, etag: shown } = await task.get()
    expect(etag).toBe(shown)
    expect(set.shapes.map((one) => one.source)).toEqual(['file', 'file'])
    expect(set.tracks.map((one) => one.shapes.map((shape) => shape.frame))).toEqual([
      [6, 10, 11],
      [2, 3, 5, 10],
    ])
  })

  test('row lines replace existing objects or are added to them', async () => {
    const { write, task } = setUp()
    await task.put({ shapes: [box(1)] })
    await write([encodeShape(box(2))], { mode: 'append' })
    expect((await task.get()).set.shapes.map((one) => one.frame)).toEqual([1, 2])
    await write([encodeShape(box(3))])
    expect((await task.get()).set.shapes.map((one) => one.frame)).toEqual([3])
  })

  describe('mode `merge`', () => {
    const near = { ...box(1), points: [1.009, 2, 3, 4.5] }
    const far = { ...box(1), points: [1.02, 2, 3, 4.5] }

    test('only lines without an equal object are added', async () => {
      const { write, task } = setUp()
      await task.put({ tags: [tag(4)], shapes: [box(1)], tracks: [track(2, 3)] })
      const lines = [
        ...[encodeTag(tag(4)), encodeTag(tag(3))],
        ...[near, far, box(2), { ...box(1), rotation: 30 }].map(encodeShape),
        ...[track(2, 3), track(2, 4)].map(encodeTrack),
      ]
      const written = await write(lines, { mode: 'merge' })
      expect(written).toEqual({ tags: 1, shapes: 3, tracks: 1, duplicates: 3 })
      const { set } = await task.get()
      expect([set.tags.length, set.shapes.length, set.tracks.length]).toEqual([2, 4, 2])
    })

    test('a file without new objects changes neither objects nor revision', async () => {
      const { write, task, workspace } = setUp()
      const { etag } = await task.put({ shapes: [box(1), box(5)], tracks: [track(2, 11)] })
      const lines = [encodeShape(near), encodeShape(box(5)), encodeTrack(track(2, 11))]
      const notifications = workspace.notifications.length
      expect(await write(lines, { mode: 'merge' })).toMatchObject({ shapes: 0, duplicates: 3 })
      expect((await task.get()).etag).toBe(etag)
      expect(workspace.notifications.length).toBe(notifications)
    })

    test('duplicates within the file stay, and equal objects match one to one', async () => {
      const { write, task } = setUp()
      await task.put({ shapes: [box(2), box(2)] })
      const lines = [box(1), box(1), box(2)].map(encodeShape)
      expect(await write(lines, { mode: 'merge' })).toMatchObject({ shapes: 2, duplicates: 1 })
      expect((await task.get()).set.shapes.map((one) => one.frame)).toEqual([1, 1, 2, 2])
    })
  })

  test('a dry run checks and counts the lines and changes nothing', async () => {
    const { write, task, workspace } = setUp()
    const { etag } = await task.put({ shapes: [box(1)] })
    const notifications = workspace.notifications.length
    const call_id = randomUUID()
    const lines = [encodeShape(box(1)), encodeShape(box(2))]
    const counts = { tags: 0, shapes: 1, tracks: 0, duplicates: 1 }
    const dry = await write(lines, { mode: 'merge', dry_run: true, call_id })
    expect([dry, (await task.get()).etag, workspace.notifications.length]).toEqual([
      counts,
      etag,
      notifications,
    ])
    const wrong = encodeShape({ ...box(2), points: [1] })
    await expect(write([wrong], { dry_run: true })).rejects.toMatchObject({ kind: 'invalid' })
    expect(await write(lines, { mode: 'merge', call_id })).toEqual(counts)
    expect((await task.get()).set.shapes.length).toBe(2)
  })

  test('a repeated call is written once', async () => {
    const { write, task, workspace } = setUp()
    const call_id = randomUUID()
    const first = await write([encodeShape(box(1))], { call_id, mode: 'append' })
    expect(await write([encodeShape(box(1))], { call_id, mode: 'append' })).toEqual(first)
    expect((await task.get()).set.shapes).toHaveLength(1)
    expect(workspace.notifications.map((one) => one.change.action)).toEqual(['import'])
  })

  test('lines are validated like a body, and an invalid one leaves everything unchanged', async () => {
    const { write, task } = setUp()
    const { etag } = await task.put({ shapes: [box(1)] })
    const wrong = { ...box(2), points: [1] }
    await expect(write([encodeShape(box(2)), encodeShape(wrong)])).rejects.toMatchObject({
      body: { shapes: [{}, { points: ["invalid length for shape type 'rectangle'"] }] },
    })
    await expect(write(['tag\u0002oops\n'])).rejects.toMatchObject({
      kind: 'invalid',
      message: 'line 2: a tag has 6 columns, not 1',
    })
    expect((await task.get()).etag).toBe(etag)
  })

  test('lines are rejected when the annotations changed meanwhile', async () => {
    const { write, task, query } = setUp()
    const { etag } = await service.getRevision(query, user())
    await task.put({ shapes: [box(1)] })
    await expect(write([], { if_match: etag })).rejects.toMatchObject({
      code: 'annotations_changed',
    })
  })

  test('the revision of a set is returned without reading the set', async () => {
    const { task, query } = setUp()
    const { etag } = await task.put({ shapes: [box(1)] })
    expect(await service.getRevision(query, user())).toEqual({ etag })
  })

  test('row lines belong to tasks and jobs, not to projects', async () => {
    const attempt = service.readRows({ target: 'project', id: 7 }, user())
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
  })
})
