import { setTimeout as sleep } from 'node:timers/promises'
import { rowsOf } from '@reticle/tests/support/deliveries'
import { type DaySystem, schemas } from './day-system.ts'
import { compareAnnotations } from './draw.ts'
import { type DayLedger, type DayProject, incrementCount } from './ledger.ts'
import { exportAndCheck } from './movements.ts'
import type { DayUser } from './people.ts'
import type { Receivers } from './receivers.ts'

/** Final comparison of the stored state with the answers that users received. */

const patienceMs = 180_000

/** Waits until no event, request or message is pending; then nothing of the ledger may be missing or duplicated. */
export async function checkFinalState(
  system: DaySystem,
  people: readonly DayUser[],
  receivers: Receivers,
): Promise<void> {
  const [first] = people
  if (!first) return
  const { ledger } = first
  for (const { caller, badWebhooks } of people)
    for (const id of badWebhooks)
      await caller.done('PATCH', `/webhooks/${id}`, { json: { is_active: false } })
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(500)) {
    const left = [...(await listPending(system)), ...missing(ledger, receivers)]
    if (left.length === 0) break
  }
  for (const one of await listPending(system))
    incrementCount(ledger.wrong, `still on its way: ${one}`)
  for (const _ of missing(ledger, receivers))
    incrementCount(ledger.wrong, 'a webhook message was never received')
  checkSequences(people, receivers)
  for (const { caller } of people) await compareLists(caller, ledger)
  for (const project of ledger.projects) await compareProject(project, ledger)
  for (const { path, owner } of ledger.deleted) {
    const { status } = await owner.send('GET', path)
    if (status !== 404) incrementCount(ledger.wrong, `deleted, and answered ${status}: ${path}`)
  }
  const health = await first.caller.send('GET', '/server/health')
  if (health.status !== 200) incrementCount(ledger.wrong, `health: ${health.text}`)
}

/** Describes pending events, requests and messages. */
async function listPending(system: DaySystem): Promise<string[]> {
  const found: string[] = []
  const countRows = async (schema: string, table: string, where = 'true') => {
    const statement = `select count(*)::int as many from ${schema}.${table} where ${where}`
    const [row] = await rowsOf<{ many: number }>(await system.databaseOf(schema), statement)
    if (row?.many) found.push(`${row.many} of ${schema}.${table}`)
  }
  for (const schema of schemas) {
    await countRows(schema, 'outbox')
    await countRows(schema, 'dead_events')
  }
  await countRows('requests', 'requests', `status in ('queued', 'started')`)
  await countRows('webhooks', 'webhook_messages', `status in ('pending', 'waiting')`)
  return found
}

function missing(ledger: DayLedger, { hearing }: Receivers): string[] {
  const receivedMarks = new Map<number, Set<string>>()
  for (const { webhook } of ledger.expectedMessages)
    if (!receivedMarks.has(webhook))
      receivedMarks.set(webhook, new Set(hearing.of(webhook).flatMap(({ marks }) => marks)))
  return ledger.expectedMessages.flatMap(({ webhook, mark }) =>
    receivedMarks.get(webhook)?.has(mark) ? [] : [mark],
  )
}

/** Checks that each change has one id, sequence numbers have no gaps, and repeated ids have the same body. */
function checkSequences(people: readonly DayUser[], { hearing }: Receivers): void {
  for (const { webhook, ledger } of people) {
    const messages = hearing.of(webhook).toSorted((a, b) => a.sequence - b.sequence)
    if (messages.some(({ sequence }, at) => sequence !== at + 1))
      incrementCount(ledger.wrong, 'numbers of a webhook have a gap')
    if (new Set(messages.map(({ fact }) => fact)).size !== messages.length)
      incrementCount(ledger.wrong, 'a webhook received a change under two ids')
    for (const _ of hearing.contradicted) incrementCount(ledger.wrong, 'one id with two bodies')
  }
}

/** Checks that projects and tasks are exactly those that users kept, once each. */
async function compareLists(caller: DayUser['caller'], ledger: DayLedger): Promise<void> {
  const own = ledger.projects.filter(({ owner }) => owner === caller)
  const expected = {
    projects: own.map(({ id }) => id),
    tasks: own.flatMap(({ tasks }) => tasks.map(({ id }) => id)),
  }
  for (const [what, ids] of Object.entries(expected)) {
    const found: number[] = []
    for (let page = 1, isMore = true; isMore; page++) {
      const list = await caller.done('GET', `/${what}?page_size=100&page=${page}&sort=id`)
      found.push(...list.results.map((one: { id: number }) => one.id))
      isMore = list.next !== null
    }
    for (const id of ids)
      if (!found.includes(id)) incrementCount(ledger.wrong, `${what} that are lost`)
    for (const id of found)
      if (!ids.includes(id)) incrementCount(ledger.wrong, `unexpected ${what}`)
    if (new Set(found).size !== found.length) incrementCount(ledger.wrong, `${what} listed twice`)
  }
}

async function compareProject({ id, name, owner: caller, tasks }: DayProject, ledger: DayLedger) {
  const project = await caller.done('GET', `/projects/${id}`)
  if (project.name !== name) incrementCount(ledger.wrong, 'a project with another name')
  for (const task of tasks) {
    const found = await caller.done('GET', `/tasks/${task.id}`)
    const isSame = found.name === task.name && found.size === task.frames
    if (!isSame || found.jobs.count !== task.jobs.length)
      incrementCount(ledger.wrong, 'a task that differs from its creation')
    await compareAnnotations({ caller, ledger }, task)
    const { results } = await caller.done(
      'GET',
      `/comments?job_id=${task.jobs[0]?.id}&page_size=100`,
    )
    const stored = results.map((one: { message: string }) => one.message).sort()
    // the first comment was created with the issue
    const isAll = [...task.comments.values(), 'look'].sort().join() === stored.join()
    if (!isAll && task.comments.size > 0)
      incrementCount(ledger.wrong, 'comments differ from those written')
    await exportAndCheck({ caller, ledger }, task, 'Service 1.1')
  }
}
