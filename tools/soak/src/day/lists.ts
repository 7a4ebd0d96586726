import { type DayProject, incrementCount } from './ledger.ts'
import type { Worker } from './worker.ts'

/**
 * Checks that lists and searches contain the project, its first task and its first job. Also reads requests and a
 * frame, whose content is not checked.
 */
export async function checkLists({ caller, ledger }: Worker, project: DayProject): Promise<void> {
  const task = project.tasks[0]
  const search = encodeURIComponent(project.name)
  const filter = encodeURIComponent(JSON.stringify({ '==': [{ var: 'id' }, task?.id] }))
  const queries: [path: string, id: number | undefined][] = [
    [`/projects?search=${search}`, project.id],
    [`/tasks?project_id=${project.id}&sort=-updated_date`, task?.id],
    [`/tasks?filter=${filter}`, task?.id],
    [`/jobs?task_id=${task?.id}&page_size=100`, task?.jobs[0]?.id],
  ]
  for (const [path, id] of queries) {
    const { results } = await caller.done('GET', path)
    if (!results.some((one: { id: number }) => one.id === id))
      incrementCount(ledger.wrong, `not found by ${path.replace(/\d+|=.*$/g, 'N')}`)
  }
  await caller.done('GET', '/requests?page_size=10')
  await caller.done('GET', `/tasks/${task?.id}/data?type=frame&quality=compressed&number=0`)
}
