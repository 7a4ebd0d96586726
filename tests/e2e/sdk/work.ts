import { fromBytes } from '@reticle/sdk'
import { expect } from 'vitest'
import { createImage, createImages } from '../../support/pictures.ts'
import type { SdkWorld } from './world.ts'

/** Calls the operations of projects, tasks, jobs, annotations, issues and comments, each once. */

const car = { name: 'car', attributes: [] }

export const newPictures = async (count: number) =>
  (await createImages(count)).map(({ name, bytes }) => fromBytes(name, new Uint8Array(bytes)))

/** Creates a project with a task of four frames in two jobs, and ground truth for two of them. */
export async function newTask({ admin }: SdkWorld) {
  const project = await admin.createProject({ body: { name: 'streets', labels: [car] } })
  const body = { name: 'first', project_id: project.id, segment_size: 2 }
  const { id } = await admin.createTask({ body })
  await admin.follow(admin.uploadTaskData.send({ id }, await newPictures(4)))
  const { results: labels } = await admin.listLabels({ project_id: project.id })
  const { results: jobs } = await admin.listJobs({ task_id: id, sort: 'id' })
  const [label, job] = [labels[0]?.id ?? 0, jobs[0]?.id ?? 0]
  return { project: project.id, task: id, job, label }
}

export async function checkProjects(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { project, task, label } = await newTask(world)
  expect((await admin.listProjects({ id: project })).count).toBe(1)
  const change = async () => {
    const { headers } = await admin.respond('getProject', { id: project })
    const if_match = headers.get('etag') ?? ''
    await admin.updateProject({ id: project, if_match, body: { bug_tracker: 'https://x.org' } })
  }
  await admin.getProject({ id: project })
  await change().catch(change) // the date of the project may still change after its new task
  await admin.getProjectPreview({ id: project })
  expect(await admin.getProjectDataMeta({ id: project })).toMatchObject({ size: 4 })
  expect((await admin.listFrames({ search: 'frame', project_id: project })).count).toBe(4)
  await admin.getLabel({ id: label })
  await admin.updateLabel({ id: label, body: { color: '#112233' } })
  await admin.getProjectAnnotationStatistics({ id: project })

  expect((await admin.listTasks({ project_id: project })).results[0]?.id).toBe(task)
  await admin.getTask({ id: task })
  await admin.updateTask({ id: task, body: { name: 'second' } })
  await admin.getTaskStatus({ id: task })
  await admin.deleteLabel({ id: label })
  await admin.deleteTask({ id: task })
  await admin.deleteProject({ id: project })
}

export async function checkMedia(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { task, job } = await newTask(world)
  const frame = { type: 'frame', number: 0, quality: 'original' }
  expect((await (await admin.getTaskData({ id: task, ...frame })).blob()).size).toBeGreaterThan(0)
  expect((await admin.getJobData({ id: job, ...frame })).headers.get('content-type')).toMatch(
    'image',
  )
  await admin.getTaskPreview({ id: task })
  await admin.getJobPreview({ id: job })
  expect(await admin.getTaskDataMeta({ id: task })).toMatchObject({ size: 4 })
  expect(await admin.getJobDataMeta({ id: job })).toMatchObject({ size: 2 })
  await admin.updateTaskDataMeta({ id: task, body: { deleted_frames: [3] } })
  await admin.updateJobDataMeta({ id: job, body: { deleted_frames: [1] } })

  const truth = await admin.createJob({
    body: {
      ...{ type: 'ground_truth', task_id: task },
      ...{ frame_selection_method: 'manual', frames: [0] },
    },
  })
  await admin.getTaskValidationLayout({ id: task })
  await admin.getJobValidationLayout({ id: job })
  await admin.updateTaskValidationLayout({ id: task, body: { disabled_frames: [0] } })
  await admin.getJob({ id: truth.id })
  await admin.updateJob({ id: truth.id, body: { state: 'in progress' } })
  await admin.deleteJob({ id: truth.id })
}

export async function checkAnnotations(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { task, job, label } = await newTask(world)
  const shape = (frame: number) => ({
    type: 'rectangle' as const,
    ...{ frame, label_id: label, points: [1, 2, 3, 4] },
  })
  const written = await admin.replaceJobAnnotations({ id: job, body: { shapes: [shape(0)] } })
  expect(written.shapes).toHaveLength(1)
  await admin.updateJobAnnotations({ id: job, action: 'create', body: { shapes: [shape(1)] } })
  expect((await admin.getJobAnnotations({ id: job, frames: '1' })).shapes).toHaveLength(1)
  await admin.getJobAnnotationStatistics({ id: job })
  expect((await admin.listJobRevisions({ id: job })).count).toBe(2)
  const [newest] = (await admin.listTaskRevisions({ id: task })).results
  const revision = (newest?.revision ?? 0) - 1
  expect((await admin.getJobRevision({ id: job, revision })).shapes).toHaveLength(1)
  const diff = await admin.getJobAnnotationsDiff({ id: job, from: revision })
  expect(diff.created.shapes).toHaveLength(1)
  expect((await admin.restoreJobRevision({ id: job, revision })).shapes).toHaveLength(1)
  await admin.deleteJobAnnotations({ id: job })

  await admin.replaceTaskAnnotations({ id: task, body: { shapes: [shape(0), shape(2)] } })
  const [first] = (await admin.getTaskAnnotations({ id: task })).shapes
  const moved = { shapes: [{ id: first?.id, points: [5, 6, 7, 8] }] }
  const changed = await admin.updateTaskAnnotations({ id: task, action: 'update', body: moved })
  expect(changed.shapes[0]?.points).toEqual([5, 6, 7, 8])
  await admin.getTaskAnnotationStatistics({ id: task })
  await admin.deleteTaskAnnotations({ id: task })
}

export async function checkReview(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { task, job } = await newTask(world)
  const position = [1, 2, 3, 4]
  const { id: issue } = await admin.createIssue({
    body: { job, frame: 0, position, message: 'look' },
  })
  expect((await admin.listIssues({ job_id: job })).count).toBe(1)
  await admin.getIssue({ id: issue })
  await admin.updateIssue({ id: issue, body: { resolved: true } })
  const { id: comment } = await admin.createComment({ body: { issue, message: 'seen' } })
  const messages: string[] = []
  for await (const { message } of admin.listComments.each({ issue_id: issue }))
    messages.push(message)
  expect(messages.sort()).toEqual(['look', 'seen'])
  await admin.listComments({ issue_id: issue })
  await admin.getComment({ id: comment })
  await admin.updateComment({ id: comment, body: { message: 'done' } })
  await admin.deleteComment({ id: comment })
  await admin.deleteIssue({ id: issue })

  const { id: guide } = await admin.createGuide({ body: { task_id: task, markdown: '# How' } })
  await admin.getGuide({ id: guide })
  const { bytes } = await createImage('a.png', 8, 8)
  const file = new File([new Uint8Array(bytes)], 'a.png', { type: 'image/png' })
  const { uuid } = await admin.createAsset({ body: { guide_id: guide, file } })
  await admin.updateGuide({ id: guide, body: { markdown: `![](/api/assets/${uuid})` } })
  expect((await (await admin.getAsset({ uuid })).blob()).size).toBe(bytes.length)
  await admin.deleteAsset({ uuid })
  await admin.deleteGuide({ id: guide })
}
