import { randomUUID } from 'node:crypto'
import { labelsChanged } from '@reticle/contracts/events/labels'
import type { AnnotationSet } from '@reticle/contracts/rest/annotations'
import { encodeShape, rowLinesHeader } from '@reticle/contracts/row-lines'
import { labelOf } from '@reticle/contracts/testing/records'
import { testDb } from '@reticle/kit/testing/db'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { openHistory, sameLabels } from '../testing/history.ts'
import { box, keyframe, track } from '../testing/objects.ts'
import { bodyOf, openJob, openService, user } from '../testing/workspace.ts'

/** Every revision of a job stays readable after any sequence of changes: docs/spec/annotations.md#history */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp, receive } = openService(db)
const { bytesAt, bytesOf, restore, revisionOf } = openHistory(db, service)

const tag = { frame: 1, label_id: 40 }

test('every revision is read and restored byte for byte as it was', async () => {
  const objects = fc.record({
    shapes: fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 4 }),
    tags: fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 2 }),
    tracks: fc.array(
      fc.uniqueArray(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 3 }),
      { maxLength: 2 },
    ),
    spare: fc.boolean(),
  })
  const actions = ['put', 'create', 'update', 'delete', 'import', 'append', 'restore'] as const
  const step = fc.record({
    action: fc.constantFrom(...actions),
    scope: fc.constantFrom<string>('task', 'job'),
    objects,
    pick: fc.nat(),
    frame: fc.integer({ min: 0, max: 14 }),
  })
  const steps = fc.array(step, { minLength: 4, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), async (list, deletion) => {
      const world = openWorld()
      for (const [index, one] of list.entries()) {
        await world.run(one)
        if (index === deletion % (2 * list.length)) await world.deleteSpare()
        await world.remember()
      }
      await world.compare()
    }),
    { numRuns: 40, examples: [[movedAway, 0]] },
  )
}, 240_000)

const nothing = { shapes: [], tags: [], tracks: [], spare: false }
/** Steps that move a tag to the first job, restore it in its original job, and then in the first job. */
const movedAway: Step[] = [
  ...[
    { action: 'put' as const, objects: { ...nothing, tags: [0, 5] } },
    { action: 'update' as const },
  ],
  ...Array.from({ length: 4 }, () => ({ action: 'put' as const })),
].map((one) => ({ scope: 'task', objects: nothing, pick: 1, frame: 0, ...one }))

interface Step {
  action: 'put' | 'create' | 'update' | 'delete' | 'import' | 'append' | 'restore'
  scope: string
  objects: { shapes: number[]; tags: number[]; tracks: number[][]; spare: boolean }
  pick: number
  frame: number
}

/** Creates a task with three jobs and a label that may be deleted, and records each job at each revision. */
function openWorld() {
  const opened = setUp()
  const { workspace, task, task_id } = opened
  workspace.labels.labels.push(labelOf({ id: 44, name: 'spare' }))
  const jobs = workspace.jobs.map((one) => one.id)
  const seen = new Map<string, { job: number; revision: number; bytes: string }>()
  let hasSpare = true

  const setOf = ({ shapes, tags, tracks, spare }: Step['objects'], first: number, last: number) => {
    const within = (frame: number) => first <= frame && frame <= last
    const label_id = spare && hasSpare ? 44 : 40
    return {
      shapes: shapes.filter(within).map((frame) => ({ ...box, frame, label_id })),
      tags: tags.filter(within).map((frame) => ({ ...tag, frame, label_id })),
      tracks: tracks
        .map((frames) => frames.filter(within).sort((a, b) => a - b))
        .filter((frames) => frames.length > 0)
        .map((frames) => ({ ...track(...frames), label_id })),
    }
  }
  const importRows = async (
    action: 'import' | 'append',
    shapes: Boxes,
    job: number | undefined,
  ) => {
    const place = { occluded: false, outside: false, z_order: 0, rotation: 0, attributes: [] }
    const named = { id: null, label_id: 40, group: 0, source: 'file' as const, score: 1 }
    const lines = shapes.map((one) =>
      encodeShape({ ...named, ...place, ...one, type: 'rectangle', elements: [] }),
    )
    const target = job
      ? { target: 'job' as const, id: job }
      : { target: 'task' as const, id: task_id }
    const mode = action === 'import' ? 'replace' : 'append'
    const body = bodyOf(rowLinesHeader + lines.join(''))
    await service.writeRows({ ...target, mode, call_id: randomUUID(), body }, user())
  }
  const restoreOne = async (job: number, pick: number) => {
    const known = [...seen.values()].filter((one) => one.job === job)
    const chosen = known[pick % Math.max(1, known.length)]
    if (chosen && isRestorable(chosen.bytes)) await check(chosen)
  }
  const run = async ({ action, scope, objects, pick, frame }: Step) => {
    const range = workspace.jobs[pick % 3]
    if (!range) throw new Error('no job')
    const isTask = scope === 'task'
    const calls = isTask ? task : openJob(service, range.id)
    const [first, last] = isTask ? [0, 14] : [range.start_frame, range.stop_frame]
    const set = setOf(objects, first, last)
    const some = someOf((await calls.get()).set, pick)
    const steps = {
      put: () => calls.put(set),
      create: () => calls.patch('create', set),
      update: () => calls.patch('update', moved(some, Math.min(Math.max(frame, first), last))),
      delete: () => calls.patch('delete', some),
      import: () => importRows('import', set.shapes, isTask ? undefined : range.id),
      append: () => importRows('append', set.shapes, isTask ? undefined : range.id),
      restore: () => restoreOne(range.id, pick),
    }
    await steps[action]()
  }
  const isRestorable = (bytes: string) => hasSpare || !bytes.includes('"label_id":44')

  const remember = async () => {
    for (const id of jobs) {
      const revision = await revisionOf(id)
      if (revision > 0)
        seen.set(`${id}-${revision}`, { job: id, revision, bytes: await bytesOf(id) })
    }
  }
  /** An object that moved to another job may come back with another id. */
  const check = async ({
    job: id,
    revision,
    bytes,
  }: {
    job: number
    revision: number
    bytes: string
  }) => {
    const others = await Promise.all(jobs.filter((one) => one !== id).map(bytesOf))
    const isMoved = idsOf(bytes).some((one) => others.some((other) => idsOf(other).includes(one)))
    const { bytes: restored } = await restore(id, revision)
    if (isMoved) expect(withoutIds(restored)).toBe(withoutIds(bytes))
    else expect(restored).toBe(bytes)
    const { set } = await task.get()
    const ids = [...set.shapes, ...set.tags].map((one) => one.id)
    expect(new Set(ids).size).toBe(ids.length)
  }
  const deleteSpare = async () => {
    if (!hasSpare) return
    hasSpare = false
    workspace.labels.labels.pop()
    await receive(labelsChanged, { ...sameLabels, task_ids: [task_id], deleted_label_ids: [44] })
  }
  const compare = async () => {
    for (const { job: id, revision, bytes } of seen.values()) {
      expect(await bytesAt(id, revision), `job ${id}, revision ${revision}`).toBe(bytes)
    }
    for (const one of [...seen.values()].slice(0, 3)) {
      if (isRestorable(one.bytes)) await check(one)
    }
  }
  return { run, remember, compare, deleteSpare }
}

type Boxes = { frame: number; label_id: number; points: number[] }[]

function someOf({ shapes, tags, tracks }: AnnotationSet, pick: number) {
  const half = <T>(all: readonly T[]) => all.filter((_, index) => (index + pick) % 2 === 0)
  return { shapes: half(shapes), tags: half(tags), tracks: half(tracks) }
}

const moved = ({ shapes, tags, tracks }: ReturnType<typeof someOf>, frame: number) => ({
  shapes: shapes.map(({ id }) => ({ id, frame, z_order: frame })),
  tags: tags.map(({ id }) => ({ id, frame })),
  tracks: tracks.map(({ id }) => ({ id, shapes: [keyframe(frame)] })),
})

const idsOf = (bytes: string): number[] => {
  const { shapes, tags, tracks }: AnnotationSet = JSON.parse(bytes)
  return [...shapes, ...tags, ...tracks].map((one) => one.id ?? 0)
}
/** Ignores the order, because objects of a frame are ordered by id. */
const withoutIds = (bytes: string) => [...bytes.replaceAll(/"id":\d+/g, '')].sort().join('')
