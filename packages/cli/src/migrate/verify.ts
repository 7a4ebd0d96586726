import type { Client, Task } from '@reticle/sdk'
import { formatCounts } from '../terminal/counts.ts'
import type { JobPair } from './details.ts'
import type { ObjectCounts } from './ledger.ts'
import type { Migration, MigrationWorkspace } from './migration.ts'

/**
 * Counts the objects of a task on both sides once, while they are streamed. Counts by job, because an object in two
 * jobs is one object of the task on some servers and two on others.
 */
export async function compareCounts(
  { target, ledger, session }: Migration,
  { source }: MigrationWorkspace,
  { task, jobs }: { task: Task; jobs: readonly JobPair[] },
): Promise<void> {
  const { id: from, name, size: frames } = task
  const noted = ledger.find('task', from)
  if (noted.counts) return
  const { signal, progress } = session
  progress.step(`Counting annotations of ${name}`)
  const { size } = await target.getTask({ id: Number(noted.to) }, { signal })
  const sides = { there: { ...nothing, frames }, here: { ...nothing, frames: size } }
  for (const [at, pair] of jobs.entries()) {
    await addCounts(sides.there, source, pair.there.id, signal)
    await addCounts(sides.here, target, pair.here.id, signal)
    progress.update((at + 1) / jobs.length)
  }
  const { here, there } = sides
  if (textOf(there) !== textOf(here))
    await ledger.recordProblem('task', from, {
      what: 'failed',
      code: 'counts',
      reason: `there are ${textOf(here)}, and at the source ${textOf(there)}: was it changed meanwhile?`,
    })
  await ledger.note('task', from, { counts: here })
}

/** Kinds of objects with a backup. */
export type BackupKind = 'project' | 'task'

/** Counts the objects of a restored archive at the target. An archive has no live source to compare with. */
export async function countHere(
  { target, session }: Migration,
  whole: BackupKind,
  id: number,
): Promise<{ tasks: number; counts: ObjectCounts }> {
  const { signal, progress } = session
  progress.step('Counting annotations')
  const of = whole === 'project' ? { project_id: id } : { id }
  const counts = { ...nothing }
  let tasks = 0
  for await (const task of target.listTasks.each(of, { signal })) {
    tasks += 1
    counts.frames += task.size
    for await (const job of target.listJobs.each({ task_id: task.id }, { signal }))
      await addCounts(counts, target, job.id, signal)
  }
  return { tasks, counts }
}

const nothing: ObjectCounts = { frames: 0, tags: 0, shapes: 0, tracks: 0 }

async function addCounts(
  counts: ObjectCounts,
  client: Client,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  for await (const { kind } of client.getJobAnnotations.items({ id }, { signal })) counts[kind] += 1
}

const textOf = ({ frames, tags, shapes, tracks }: ObjectCounts) =>
  formatCounts({ frames, shapes, tracks, tags })
