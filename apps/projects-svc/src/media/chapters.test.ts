import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import type { BackupTask } from '@reticle/contracts/rest/backups'
import type { Chapter } from '@reticle/contracts/rest/media'
import { cutBytes } from '@reticle/kit/testing/bytes'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { frameAt, frameLines, testWorkspace } from '../testing/workspace.ts'

const { addUser, over } = await testWorkspace()
const anna = await addUser()
const ten = Array.from({ length: 10 }, (_, index) => frameAt(index))

const chapter = (id: number, start: number, stop: number, title = `chapter ${id}`): Chapter => ({
  id,
  start,
  stop,
  metadata: { title },
})
const three = [chapter(0, 0, 4), chapter(1, 3, 7, ''), chapter(2, 9, 9)]

describe.each(transports)('%s', (transport) => {
  const { tasks, jobs, media } = over(transport)

  /** Adds a task of ten frames in overlapping jobs of four. */
  async function addTask(chapters?: readonly Chapter[]) {
    const { id } = await tasks.createTask({ body: { name: 't', segment_size: 4 } }, anna.call)
    const about = { task_id: id, call_id: `chapters-${id}`, image_quality: 70, chunk_size: 36 }
    const video = {
      video_name: 'a.mp4',
      ...(chapters && { chapters: { chapters: [...chapters] } }),
    }
    await media.attachMedia({ ...about, ...video, body: frameLines(ten) }, anna.call)
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    return { id, jobs: results }
  }
  const chaptersOf = async (id: number) => (await media.getTaskDataMeta({ id }, anna.call)).chapters
  const chaptersOfJob = async (id: number) =>
    (await media.getJobDataMeta({ id }, anna.call)).chapters

  test('a task lists all chapters, a job those that overlap its frames, cut to its range', async () => {
    const { id, jobs } = await addTask(three)
    expect(await chaptersOf(id)).toEqual(three)
    for (const { id: job, start_frame: first, stop_frame: last } of jobs)
      expect(await chaptersOfJob(job)).toEqual(
        three
          .filter(({ start, stop }) => start <= last && stop >= first)
          .map((one) => ({
            ...one,
            start: Math.max(one.start, first),
            stop: Math.min(one.stop, last),
          })),
      )
  })

  test('chapters are null for media without any, and for a job without any', async () => {
    expect(await chaptersOf((await addTask()).id)).toBe(null)
    const { id, jobs } = await addTask([chapter(0, 0, 1)])
    expect(await chaptersOf(id)).toEqual([chapter(0, 0, 1)])
    expect(await chaptersOfJob(jobs.at(-1)?.id ?? 0)).toBe(null)
  })

  test('deleting frames keeps the chapters', async () => {
    const { id } = await addTask(three)
    const body = { deleted_frames: [0, 1, 2, 3, 4] }
    expect((await media.updateTaskDataMeta({ id, body }, anna.call)).chapters).toEqual(three)
  })

  test('a ground-truth job has the chapters of the task', async () => {
    const { id } = await addTask(three)
    const chosen = { frame_selection_method: 'manual' as const, frames: [2, 8] }
    const body = { type: 'ground_truth' as const, task_id: id, ...chosen }
    const truth = await jobs.createJob({ body }, anna.call)
    expect(await chaptersOfJob(truth.id)).toEqual(three)
  })

  test('the largest allowed chapters fit into one message', async () => {
    const many = Array.from({ length: 10_000 }, (_, id) => chapter(id, 0, 9, 'ä🚗"'.repeat(14)))
    const { id } = await addTask(many)
    expect(await chaptersOf(id)).toEqual(many)
  })

  test.each([
    ['with chapters', { chapters: three }],
    ['without chapters', undefined],
  ])('a task restored %s has the same chapters', async (_, chapters) => {
    const draft_id = `chapters-${transport}-${chapters === undefined}`
    await tasks.openDraft({ body: { draft_id, labels: [] } }, anna.call)
    const named = { draft_id, name: 'Batch', subset: '' }
    const { task_id } = await tasks.addDraftTask(named, anna.call)
    const described = { ...restored, data: { ...restored.data, ...(chapters && { chapters }) } }
    const lines = [{ task: described }, ...ten.map((frame) => ({ frame }))]
    const body = cutBytes(lines.map(encodeBackupLine).join(''), 1009)
    await tasks.restoreTask({ task_id, body }, anna.call)
    await tasks.publishDraft({ draft_id, call_id: `publish-${draft_id}` }, anna.call)
    expect(await chaptersOf(task_id)).toEqual(chapters?.chapters ?? null)
  })
})

const restored: BackupTask = {
  name: 'Batch',
  bug_tracker: '',
  status: 'annotation',
  subset: '',
  guide: null,
  labels: [],
  has_custom_segments: false,
  data: {
    chunk_size: 36,
    image_quality: 70,
    start_frame: 0,
    frame_filter: '',
    storage: 'local',
    video_name: 'a.mp4',
    deleted_frames: [],
  },
  jobs: [{ type: 'annotation', status: 'annotation', start_frame: 0, stop_frame: 9 }],
}
