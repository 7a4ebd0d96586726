import { setTimeout as sleep } from 'node:timers/promises'
import { isFullRun } from '@reticle/kit/testing/config'
import { startReceiver, type TestReceiver } from '@reticle/kit/testing/receiver'
import { recordScore } from '@reticle/kit/testing/scores'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AnyJson, createApiClient } from '../support/client.ts'
import {
  addFailedMessages,
  expireMessageLeases,
  noFaults,
  readClusterEvents,
  rowsOf,
  scoreOf,
  waitForDeliveries,
} from '../support/deliveries.ts'
import { recordFault } from '../support/faults.ts'
import { prepareGround, startFlow } from '../support/flow.ts'
import { openRandom } from '../support/random.ts'
import { recordMessages } from '../support/received-messages.ts'
import { basic } from '../support/reticle.ts'
import { type SplitSystem, startSplit } from '../support/split.ts'

/** Kills per service, and the minimum number of events for each webhook. */
const { kills, events, tasks } = isFullRun()
  ? { kills: 40, events: 20_000, tasks: 8 }
  : { kills: 2, events: 500, tasks: 4 }

/** Maximum number of changes whose events are not delivered yet. */
const mostAhead = 1000

const patienceMs = 180_000
const owners = ['projects', 'annotations', 'jobs']
const services = [...owners, 'webhooks']

const receiver = await startReceiver()
let split: SplitSystem
const database = () => split.databaseOf('webhooks')
beforeAll(async () => {
  split = await startSplit('told', {
    env: { RETICLE_KAFKA_SESSION_SECONDS: '6', RETICLE_WEBHOOKS_RETRY_SECONDS: '1,1,1,1,1,1' },
  })
})
afterAll(async () => {
  await split.stop()
  await receiver.close()
})

/**
 * T-WH-1: whichever process is killed, each webhook receives every committed change, with sequence numbers without
 * gaps, in commit order, and hardly any twice. See docs/spec/webhooks.md#delivery.
 */
test(`three webhooks get ${events} events each while five services are killed ${kills} times each`, {
  timeout: isFullRun() ? 7_200_000 : 300_000,
}, async () => {
  const hearing = recordMessages(receiver)
  const ground = await prepareGround(split.admin, `${receiver.url}/hook`, tasks)
  const last = ground.webhooks.at(-1)?.id ?? 0
  const apis = split.urls.map((url) => createApiClient(`${url}/api`, basic))
  let isOver = false
  const flow = startFlow({
    ...{ apis: () => apis, ground },
    isEnough: (made) => isOver || made >= events,
    isAhead: (made) => made - hearing.of(last).length > mostAhead,
  })
  const late = waitAfter(flow.done)
  const done = () => flow.events() / events
  const failed = new Set<string>()
  const killings = [
    killAgainAndAgain(['gateway-1', 'gateway-2'], { done, seed: 1 }),
    ...owners.map((owner, at) => killAgainAndAgain([`${owner}-1`], { done, seed: 2 + at })),
    killAgainAndAgain(['webhooks-1'], {
      done: () => (late.isOver() ? 1 : hearing.of(last).length / events),
      seed: 9,
      afterDeath: async () => {
        await expireMessageLeases(database())
        await addFailedMessages(database(), failed)
      },
    }),
  ]
  try {
    await Promise.all([flow.done, ...killings])
  } finally {
    isOver = true
  }

  const seen = await waitForDeliveries({
    ...{ webhooks: ground.webhooks, hearing, acknowledged: flow.acknowledged, failed, patienceMs },
    ...{ database, truth: () => readClusterEvents(services.map(split.databaseOf)) },
  })
  const killed = `${kills} kills of each of five services`
  recordScore({ id: 'T-WH-1', on: 'every app its own process', ...scoreOf(seen, killed) })
  for (const { webhook, expected, verdict } of seen) {
    expect(expected, `events of webhook ${webhook}`).toBeGreaterThanOrEqual(events)
    expect(verdict, `webhook ${webhook}`).toEqual(noFaults)
    await expectAllDelivered(webhook, expected)
  }
  expect(hearing.contradicted, 'one id, one body').toEqual([])
  expect(hearing.repeats(), 'repeated deliveries').toBeLessThanOrEqual(5 * kills * 200)
  expect(await dead()).toEqual(services.map(() => 0))
  const all = seen.reduce((sum, { expected }) => sum + expected, 0)
  const rest = `${hearing.repeats()} repeated deliveries, ${failed.size} attempts failed`
  recordFault(`${5 * kills} kills of five services under ${all} messages to webhooks; ${rest}`)
})

/** Reports whether the wait has ended long ago, so that nothing more will arrive. */
function waitAfter(done: Promise<void>): { isOver: () => boolean } {
  let isOver = false
  done
    .then(() => sleep(patienceMs, undefined, { ref: false }))
    .then(
      () => {
        isOver = true
      },
      () => undefined, // the error is reported to the awaiting caller
    )
  return { isOver: () => isOver }
}

interface Killing {
  /** Share of the work that is done: 0 to 1. */
  done: () => number
  seed: number
  /** Runs between the death of a process and its next start. */
  afterDeath?: () => Promise<void>
}

/** Kills by SIGKILL at random moments during the whole run, each of `names` in turn. */
async function killAgainAndAgain(
  names: string[],
  { done, seed, afterDeath }: Killing,
): Promise<void> {
  const random = openRandom(seed)
  for (let life = 1; life <= kills; life++) {
    const enough = (life - random.next()) / (kills + 1)
    while (done() < enough) await sleep(1)
    const name = names[life % names.length] ?? ''
    await split.kill(name)
    await afterDeath?.()
    await split.processes[name]?.start()
  }
}

/** Checks the newest messages of the webhook as its owner can list them. */
async function expectAllDelivered(id: number, count: number): Promise<void> {
  const after = Math.max(0, count - 100)
  const shown = async () => {
    const path = `/webhooks/${id}/messages?after=${after}&page_size=500`
    const { results } = await split.admin.done('GET', path)
    return results.map(({ sequence, state }: AnyJson) => [sequence, state])
  }
  const expected = Array.from({ length: count - after }, (_, at) => [after + at + 1, 'delivered'])
  await expect.poll(shown).toEqual(expected)
}

/** Number of dead events by service. */
async function dead(): Promise<number[]> {
  const statement = 'select count(*)::integer as count from dead_events'
  const all = services.map((service) =>
    rowsOf<{ count: number }>(split.databaseOf(service), statement),
  )
  return (await Promise.all(all)).map(([row]) => row?.count ?? -1)
}

/** A kill in the middle of an attempt, after the receiver got the message. */
test.each([
  ['before the receiver has answered', killBeforeAnswer],
  ['after the answer, before the attempt was recorded', killBeforeRecord],
])(
  'after webhooks-svc is killed %s the message is sent again and its attempt is recorded once',
  async (title, until) => {
    const hook = await startReceiver()
    onTestFinished(hook.close)
    const { admin } = split
    const project = await admin.done('POST', '/projects', { json: { name: 'before' } })
    const scope = { type: 'project', project_id: project.id, events: 'update:project' }
    const json = { ...scope, target_url: hook.url }
    const webhook = await admin.done('POST', '/webhooks', { json })
    const change = () => admin.done('PATCH', `/projects/${project.id}`, { json: { name: 'after' } })

    await until(hook, webhook.id, change, () => split.kill('webhooks-1'))
    hook.answer({})
    await expireMessageLeases(database())
    await split.processes['webhooks-1']?.start()

    await expect.poll(() => hook.received.length).toBe(2)
    const [first, second] = hook.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toEqual(first?.body)
    const listed = (what: string) => admin.done('GET', `/webhooks/${webhook.id}/${what}`)
    await expect.poll(async () => (await listed('deliveries')).count).toBe(1)
    expect((await listed('deliveries')).results).toMatchObject([{ attempt: 1, status_code: 200 }])
    expect((await listed('messages')).results).toMatchObject([{ state: 'delivered', attempts: 1 }])
    recordFault(`webhooks-svc killed ${title}`)
  },
)

type Midway = (
  hook: TestReceiver,
  webhook_id: number,
  change: () => Promise<unknown>,
  kill: () => Promise<void>,
) => Promise<void>

async function killBeforeAnswer(...[hook, , change, kill]: Parameters<Midway>): Promise<void> {
  hook.answer({ status: 'hang' })
  await change()
  await expect.poll(() => hook.received.length).toBe(1)
  await kill()
}

/** Blocks the record of the attempt by a lock on the row that is updated first. */
async function killBeforeRecord(
  ...[hook, webhook_id, change, kill]: Parameters<Midway>
): Promise<void> {
  const holder = new pg.Client({ connectionString: database() })
  await holder.connect()
  hook.answer(async () => {
    await holder.query('begin')
    await holder.query('select from webhooks where id = $1 for update', [webhook_id])
    return {}
  })
  await change()
  const waiting = 'from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))'
  await expect.poll(async () => (await holder.query(`select ${waiting}`)).rowCount).toBe(1)
  await kill()
  // The database has already received the statement and would otherwise complete it.
  await holder.query(`select pg_terminate_backend(pid, 5000) ${waiting}`)
  await holder.end()
}
