import type { BasicUser, Issue, Job, Project, StorageWrite, Task } from '@reticle/sdk'
import { attemptStep, type Migration, type MigrationWorkspace } from './migration.ts'
import { queuesOf } from './queues.ts'

/** Properties that backups do not contain: stages and states of jobs, storages, owners and assignees. */

/** A job at the source and the same job at the target. */
export interface JobPair {
  there: Job
  here: Job
}

/**
 * Copies stages and states of the jobs of a task once; later changes at the target are kept. @returns matched pairs
 * of jobs
 */
export async function describeTask(
  migration: Migration,
  { source, organization }: MigrationWorkspace,
  task: Task,
): Promise<JobPair[]> {
  const { target, ledger, session } = migration
  const { id: from } = task
  const { signal } = session
  const { to, is_described } = ledger.find('task', from)
  const there = await jobsOf(source.listJobs.each({ task_id: from, sort: 'id' }, { signal }))
  const options = { signal, organization }
  const here = await jobsOf(target.listJobs.each({ task_id: Number(to), sort: 'id' }, options))
  const pairs = pairsOf(there, here)
  if (is_described) return pairs
  const of = { kind: 'task', from } as const
  for (const pair of pairs)
    await attemptStep(migration, of, { what: 'changed', code: 'states' }, () =>
      describe(migration, pair),
    )
  if (pairs.length < there.length)
    await ledger.recordProblem('task', from, {
      what: 'failed',
      code: 'jobs',
      reason: `${there.length - pairs.length} of its ${there.length} jobs have no job of the same frames here`,
    })
  await ledger.note('task', from, { is_described: true })
  return pairs
}

async function jobsOf(jobs: AsyncIterable<Job>): Promise<Job[]> {
  const all: Job[] = []
  for await (const job of jobs) all.push(job)
  return all
}

/** Matches jobs of the same type and frames, in order. */
function pairsOf(there: readonly Job[], here: readonly Job[]): JobPair[] {
  const waiting = queuesOf(here, framesOf)
  return there.flatMap((job) => {
    const found = waiting.get(framesOf(job))?.shift()
    return found ? [{ there: job, here: found }] : []
  })
}

const framesOf = ({ type, start_frame, stop_frame }: Job) => `${type} ${start_frame} ${stop_frame}`

async function describe({ target, session }: Migration, { there, here }: JobPair): Promise<void> {
  const { stage, state } = there
  if (stage === here.stage && state === here.state) return
  await target.updateJob({ id: here.id, body: { stage, state } }, { signal: session.signal })
}

/**
 * Sets the storages of imports and exports when their buckets exist at the target. Each run tries again until all are
 * set.
 */
export async function storeAt(
  migration: Migration,
  of: { kind: 'project' | 'task'; from: number },
  given: Pick<Project, 'source_storage' | 'target_storage'>,
): Promise<void> {
  const { target, ledger, session } = migration
  const { to, is_stored } = ledger.find(of.kind, of.from)
  if (is_stored) return
  const body: Record<string, StorageWrite> = {}
  const missing: number[] = []
  for (const key of ['source_storage', 'target_storage'] as const) {
    const bucket = given[key]?.cloud_storage_id
    if (!bucket) continue
    const here = ledger.find('cloud_storage', bucket).to
    if (here) body[key] = { location: 'cloud_storage', cloud_storage_id: Number(here) }
    else missing.push(bucket)
  }
  const call = of.kind === 'project' ? target.updateProject : target.updateTask
  const told = { what: 'changed', code: 'storages' } as const
  if (missing.length > 0) {
    const reason = `it is the server that imports come from and exports go to: cloud storage ${missing.join(', ')} was not carried`
    await ledger.recordProblem(of.kind, of.from, { ...told, reason })
    return
  }
  await ledger.removeProblem(of.kind, of.from, told.code)
  if (Object.keys(body).length > 0)
    await attemptStep(migration, of, told, () =>
      call({ id: Number(to), body }, { signal: session.signal }),
    )
  await ledger.note(of.kind, of.from, { is_stored: true })
}

/** An owner or assignee to set on a record. */
interface Wanted {
  what: string
  there: BasicUser | null
  here: BasicUser | null
  give: (id: number) => Promise<unknown>
}

export async function assignProject(
  migration: Migration,
  workspace: MigrationWorkspace,
  { id: from, owner, assignee }: Project,
): Promise<void> {
  const { target, ledger, session } = migration
  const { to, is_assigned } = ledger.find('project', from)
  if (is_assigned) return
  const id = Number(to)
  const { signal } = session
  const here = await target.getProject({ id }, { signal })
  const change = (body: object) => target.updateProject({ id, body }, { signal })
  await giveAll(migration, workspace, { kind: 'project', from }, [
    ...peopleOf({ owner, assignee }, here, change),
  ])
}

export async function assignTask(
  migration: Migration,
  workspace: MigrationWorkspace,
  { task: { id: from, owner, assignee }, jobs }: { task: Task; jobs: readonly JobPair[] },
): Promise<void> {
  const { target, ledger, session } = migration
  const { to, is_assigned } = ledger.find('task', from)
  if (is_assigned) return
  const id = Number(to)
  const { signal } = session
  const record = await target.getTask({ id }, { signal })
  const change = (body: object) => target.updateTask({ id, body }, { signal })
  await giveAll(migration, workspace, { kind: 'task', from }, [
    ...jobs.map(({ there, here }) => ({
      what: `assignee of job ${there.id}`,
      there: there.assignee,
      here: here.assignee,
      give: (assignee_id: number) =>
        target.updateJob({ id: here.id, body: { assignee: assignee_id } }, { signal }),
    })),
    ...peopleOf({ owner, assignee }, record, change),
  ])
}

/** Sets the assignee of an issue, which backups do not contain. Later changes at the target are kept. */
export async function assignIssue(
  migration: Migration,
  workspace: MigrationWorkspace,
  { task, there, here }: { task: string; there: Issue; here: Issue },
): Promise<void> {
  const { target, ledger, session } = migration
  const { id: from, frame, assignee } = there
  if (!assignee || ledger.find('issue', from).is_assigned) return
  await ledger.note('issue', from, { name: `${task}, frame ${frame}` })
  const give = (user: number) =>
    target.updateIssue({ id: here.id, body: { assignee: user } }, { signal: session.signal })
  await giveAll(migration, workspace, { kind: 'issue', from }, [
    { what: 'assignee', there: assignee, here: here.assignee, give },
  ])
}

type Whose = Record<'owner' | 'assignee', BasicUser | null>

/** The owner is set last, because afterwards the user may lack permission to change the record. */
const peopleOf = (
  there: Whose,
  here: Whose,
  change: (body: object) => Promise<unknown>,
): Wanted[] =>
  (['assignee', 'owner'] as const).map((what) => ({
    what,
    there: there[what],
    here: here[what],
    give: (id) => change({ [`${what}_id`]: id }),
  }))

/** Sets owners and assignees. Missing accounts are reported, and the next run tries again. */
async function giveAll(
  migration: Migration,
  { organization }: MigrationWorkspace,
  of: { kind: 'project' | 'task' | 'issue'; from: number },
  wanted: readonly Wanted[],
): Promise<void> {
  const { people, ledger } = migration
  const missing = new Set<string>()
  for (const { what, there, here, give } of wanted) {
    if (!there) continue
    const user = await people.find(there.username, organization)
    if (!user) missing.add(there.username)
    if (!user || user.id === here?.id) continue
    const told = {
      what: 'changed',
      code: what.startsWith('assignee') ? 'assignee' : 'owner',
    } as const
    await attemptStep(migration, of, told, () => give(user.id))
  }
  if (missing.size === 0) {
    await ledger.removeProblem(of.kind, of.from, 'no_user')
    await ledger.note(of.kind, of.from, { is_assigned: true })
    return
  }
  const reason = `no account here for ${[...missing].join(', ')}: map them with --users, and run it again`
  await ledger.recordProblem(of.kind, of.from, { what: 'changed', code: 'no_user', reason })
}
