import type { Client, Comment, Issue, Task } from '@reticle/sdk'
import { assignIssue, type JobPair } from './details.ts'
import type { Migration, MigrationWorkspace } from './migration.ts'
import { queuesOf } from './queues.ts'

/**
 * Migrates issues and comments that do not exist at the target yet. A backup or a former run may have created them:
 * issues are matched by job, frame and position, comments by their text.
 */
export async function migrateIssues(
  migration: Migration,
  workspace: MigrationWorkspace,
  { task: { id: from, name }, jobs }: { task: Task; jobs: readonly JobPair[] },
): Promise<void> {
  const { target, ledger, session } = migration
  const { source, organization } = workspace
  const { signal } = session
  const { to } = ledger.find('task', from)
  const there = await all(source.listIssues.each({ task_id: from, sort: 'id' }, { signal }))
  if (there.length === 0) return
  const options = { signal, organization }
  const here = await all(target.listIssues.each({ task_id: Number(to), sort: 'id' }, options))
  const waiting = queuesOf(here, (issue) => placeOf(issue, issue.job))
  const carried = { issues: 0, comments: 0 }
  for (const issue of there) {
    const job = jobs.find((pair) => pair.there.id === issue.job)?.here.id
    if (job === undefined) continue // `describeTask` has reported it
    const said = await saidOf(migration, source, issue)
    const known = waiting.get(placeOf(issue, job))?.shift()
    const [message = '', ...rest] = said
    const copy = known ?? (await open(migration, issue, { job, message }))
    await comment(migration, organization, { issue: copy, said: known ? said : rest })
    await assignIssue(migration, workspace, { task: name, there: issue, here: copy })
    carried.issues += 1
    carried.comments += said.length
  }
  await ledger.note('task', from, carried)
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

const placeOf = ({ frame, position }: Issue, job: number) => JSON.stringify([job, frame, position])

/**
 * Returns the texts of the comments at the target. A comment of another user is prefixed with the name, as in a
 * restored backup.
 */
async function saidOf(
  { people, session }: Migration,
  source: Client,
  { id }: Issue,
): Promise<string[]> {
  const { signal } = session
  const comments = await all(source.listComments.each({ issue_id: id, sort: 'id' }, { signal }))
  const isOwn = ({ owner }: Comment) =>
    !owner || people.nameOf(owner.username)?.toLowerCase() === people.self.username.toLowerCase()
  return comments.map((one) =>
    isOwn(one) ? one.message : `${one.owner?.username}: ${one.message}`,
  )
}

async function open(
  { target, session }: Migration,
  { frame, position, resolved }: Issue,
  { job, message }: { job: number; message: string },
): Promise<Issue> {
  const { signal } = session
  return target.createIssue({ body: { job, frame, position, message, resolved } }, { signal })
}

/** Adds comments that do not exist yet. */
async function comment(
  { target, session }: Migration,
  organization: string,
  { issue, said }: { issue: Issue; said: readonly string[] },
): Promise<void> {
  const { signal } = session
  if (said.length === 0) return
  const options = { signal, organization }
  const there = await all(target.listComments.each({ issue_id: issue.id, sort: 'id' }, options))
  const known = queuesOf(there, ({ message }) => message)
  for (const message of said) {
    if (known.get(message)?.shift()) continue
    await target.createComment({ body: { issue: issue.id, message } }, { signal })
  }
}
