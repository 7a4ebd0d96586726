import { attachFrames, type Services, type TestUser } from './workspace.ts'

/** Adds a project and a task of `user`, with four images in two jobs: frames 0 and 1, frames 2 and 3. */
export async function addReview(
  services: Pick<Services, 'projects' | 'tasks' | 'jobs' | 'media'>,
  user: TestUser,
) {
  const { projects, tasks, jobs } = services
  const { id: project_id } = await projects.createProject({ body: { name: 'p' } }, user.call)
  const body = { name: 't', project_id, segment_size: 2 }
  const { id: task_id } = await tasks.createTask({ body }, user.call)
  await attachFrames(services, task_id, 4, user)
  const { results } = await jobs.listJobs({ task_id, sort: 'id' }, user.call)
  const [job = 0, other_job = 0] = results.map(({ id }) => id)
  return { project_id, task_id, job, other_job }
}
