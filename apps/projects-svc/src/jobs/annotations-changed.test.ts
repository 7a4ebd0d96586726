import { randomUUID } from 'node:crypto'
import { counting } from '@reticle/kit/testing/counting'
import { expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** What a change does and says is told in `consumer.test.ts`, through both doors. */

const { db, addUser, over } = await testWorkspace()
const anna = await addUser()

test('thirteen statements are enough, because a save waits for them', async () => {
  const services = over('in-process')
  const project = await services.projects.createProject({ body: { name: 'p' } }, anna.call)
  const body = { name: 't', project_id: project.id, segment_size: 1 }
  const { id: task_id } = await services.tasks.createTask({ body }, anna.call)
  await attachFrames(services, task_id, 3, anna)
  const { results } = await services.jobs.listJobs({ task_id }, anna.call)
  const counts = { revision: 1, tags: 0, shapes: 1, tracks: 0, is_annotated: true }
  const jobs = results.map((job) => ({ job_id: job.id, ...counts }))

  const { db: watched, statements } = counting(db)
  const change = { task_id, action: 'create' as const, jobs }
  await over('in-process', watched).tasks.annotationsChanged(
    { body: { event_id: randomUUID(), change } },
    anna.call,
  )
  expect(statements()).toBeLessThanOrEqual(13)
})
