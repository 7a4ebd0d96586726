import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { findFacts } from '../access/repo-facts.ts'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'
import { listExtents } from './repo-extents.ts'

const { db, addUser, over } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, media, labels } = services

  /** Adds a project of two tasks: one of ten frames in the jobs 0-4 and 5-9, and one without media. */
  async function setUp() {
    const body = { name: 'p', labels: [{ name: 'car' }] }
    const project = await projects.createProject({ body }, anna.call)
    const add = (segment_size: number) =>
      tasks.createTask({ body: { name: 't', project_id: project.id, segment_size } }, anna.call)
    const [full, empty] = [await add(5), await add(5)]
    await attachFrames(services, full.id, 10, anna)
    const deleted_frames = [1, 2, 3, 7]
    await media.updateTaskDataMeta({ id: full.id, body: { deleted_frames } }, anna.call)
    const { results } = await jobs.listJobs({ task_id: full.id, sort: 'id' }, anna.call)
    const ranges = results.map(({ id, start_frame, stop_frame }) => ({
      id,
      start_frame,
      stop_frame,
    }))
    const extent = {
      task_id: full.id,
      size: 10,
      dimension: '2d',
      jobs: ranges,
      frames: [],
      deleted: [
        { start: 1, stop: 3 },
        { start: 7, stop: 7 },
      ],
    }
    return { project, full, empty, ranges, extent }
  }

  test('a project lists the frames and jobs of its tasks in pages', async () => {
    const { project, full, empty, extent } = await setUp()
    const request = { target: 'project', id: project.id } as const
    const none = { ...extent, task_id: empty.id, size: 0, jobs: [], deleted: [] }
    const rest = { labels_revision: project.labels.length - 1, label_events: [], next: null }
    expect(await media.listExtents(request, anna.call)).toEqual({ ...rest, tasks: [extent, none] })

    const facts = await findFacts(db, request)
    if (!facts) throw new Error('the project is not there')
    const first = await listExtents(db, facts, undefined, 1)
    expect(first).toEqual({ ...rest, tasks: [extent], next: full.id })
    expect(await listExtents(db, facts, full.id, 2)).toEqual({ ...rest, tasks: [none] })
  })

  test('a task lists its own frames, a job only its part', async () => {
    const { full, ranges, extent } = await setUp()
    const [first, second] = ranges
    const tasksOf = async (target: 'task' | 'job', id: number) =>
      (await media.listExtents({ target, id }, anna.call)).tasks
    expect(await tasksOf('task', full.id)).toEqual([extent])
    expect(await tasksOf('job', second?.id ?? 0)).toEqual([{ ...extent, jobs: [second] }])
    const wanted = { frame_selection_method: 'manual' as const, frames: [2, 6] }
    const truth = await jobs.createJob(
      { body: { type: 'ground_truth', task_id: full.id, ...wanted } },
      anna.call,
    )
    expect(await tasksOf('job', truth.id)).toMatchObject([{ frames: [2, 6] }])
    expect(await tasksOf('task', full.id)).toEqual([{ ...extent, jobs: [first, second] }])
  })

  test('extents of a target that the caller may not view are forbidden', async () => {
    const { project, full } = await setUp()
    for (const [target, id] of [
      ['project', project.id],
      ['task', full.id],
    ] as const) {
      const attempt = media.listExtents({ target, id }, bo.call)
      await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
    }
    const missing = media.listExtents({ target: 'job', id: 999_999 }, anna.call)
    await expect(missing).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('the label set of a project, task and job is the same', async () => {
    const { project, full, ranges } = await setUp()
    for (const [target, id] of [
      ['project', project.id],
      ['task', full.id],
      ['job', ranges[0]?.id ?? 0],
    ] as const) {
      const set = await labels.getLabelSet({ target, id }, anna.call)
      expect(set).toEqual({ labels_revision: 0, labels: project.labels })
    }
  })
})
