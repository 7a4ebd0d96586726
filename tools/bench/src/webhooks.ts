import { setTimeout as sleep } from 'node:timers/promises'
import { type Received, startReceiver } from '@reticle/kit/testing/receiver'
import { z } from 'zod'
import { median, percentile } from './measure.ts'
import type { Server } from './server.ts'
import type { BenchFigure } from './table.ts'
import { type BenchCall, callerOf } from './task.ts'

/** Settings that allow deliveries to this machine. */
export const toLoopback = {
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
  RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
}

const perSecond = 50
const secondsPerPhase = 20
const rounds = 3
const queued = 1000
const projects = 10
const healthy = ['one', 'two', 'three']
const attempts = 20_000
const warmUp = 3000
const writers = 16
/** Limits in milliseconds from an event to the first attempt. */
const goals = { p50: 150, p99: 1000 }

/** Measures T-WH-2 to 4: latency, order, and latency beside a receiver that does not respond. */
export async function webhookFigures(
  server: Pick<Server, 'api' | 'authorization'>,
  mode: 'embedded' | 'split',
): Promise<BenchFigure[]> {
  const rig = await openRig(callerOf(server))
  try {
    await rig.burst(warmUp) // warms up the JIT compiler
    await rig.phase()
    const quiet: number[][] = []
    const beside: number[][] = []
    for (let round = 0; round < rounds; round++) {
      quiet.push(await rig.phase())
      await rig.hang()
      beside.push(await rig.phase())
      await rig.let()
    }
    const soon = soonFigure(quiet.flat(), mode)
    const isolated = isolationFigure(quiet, beside, mode)
    return [soon, orderFigure(await rig.burst(attempts / healthy.length), mode), isolated]
  } finally {
    await rig.close()
  }
}

const ided = z.object({ id: z.int() })
const payload = z.object({
  ...{ webhook_id: z.int(), webhook_sequence: z.int(), created_date: z.coerce.date() },
  project: z.object({ id: z.int(), updated_date: z.string() }),
})
const page = z.object({ count: z.int() })
type Payload = z.output<typeof payload>

/**
 * Creates projects of an organization that change, three webhooks that receive the events, and a fourth one whose
 * receiver hangs.
 */
async function openRig(call: BenchCall) {
  const receiver = await startReceiver()
  receiver.answer(({ path }) => ({ status: path === '/hangs' ? 'hang' : 200 }))
  const post = async (path: string, json: object) =>
    ided.parse(await call('POST', path, JSON.stringify(json))).id
  await post('/organizations', { slug: 'hears' })
  const own: number[] = []
  for (let n = 0; n < projects; n++)
    own.push(await post('/projects?org=hears', { name: `project ${n}` }))
  const hook = (name: string, is_active = true) =>
    post('/webhooks?org=hears', {
      ...{ type: 'organization', events: 'update:project', is_active },
      target_url: `${receiver.url}/${name}`,
    })
  for (const name of healthy) await hook(name)
  const hanging = await hook('hangs', false)
  const change = (n: number) =>
    call('PATCH', `/projects/${own[n % projects]}`, JSON.stringify({ name: `name ${n}` }))
  const arrivals = () => receiver.received.filter(({ path }) => path !== '/hangs')
  let changes = 0

  /** Makes changes whose events every healthy webhook receives; returns the deliveries in order of arrival. */
  const measureArrivals = async (count: number, make: () => Promise<unknown>) => {
    receiver.received.length = 0
    await make()
    while (arrivals().length < count * healthy.length) await sleep(20)
    return arrivals()
  }
  const many = async (count: number) => {
    let left = count
    const write = async () => {
      while (left-- > 0) await change(changes++)
    }
    await Promise.all(Array.from({ length: writers }, write))
  }
  const switchHanging = (is_active: boolean) =>
    call('PATCH', `/webhooks/${hanging}`, JSON.stringify({ is_active }))
  return {
    /** Makes changes at the rate of the target; returns the milliseconds from each to its first attempts. */
    phase: async () => {
      const count = perSecond * secondsPerPhase
      return (await measureArrivals(count, () => atRate(count, () => change(changes++)))).map(delay)
    },
    /** Makes that many changes as fast as possible. */
    burst: (count: number) => measureArrivals(Math.ceil(count), () => many(Math.ceil(count))),
    /** Activates the fourth webhook, for which many messages become pending. */
    hang: async () => {
      await switchHanging(true)
      await measureArrivals(queued, () => many(queued))
    },
    /** Deactivates it, which drops its pending messages. */
    let: async () => {
      await switchHanging(false)
      await waitUntilDelivered(call, hanging)
    },
    close: receiver.close,
  }
}

async function waitUntilDelivered(call: BenchCall, webhook: number): Promise<void> {
  const pendingMessages = z.object({ results: z.array(z.object({ state: z.string() })) })
  const path = `/webhooks/${webhook}/messages?page_size=1000&after=`
  const { count } = page.parse(await call('GET', `${path}0`))
  for (let after = 0; after < count; ) {
    const { results } = pendingMessages.parse(await call('GET', `${path}${after}`))
    if (results.some(({ state }) => state === 'pending')) await sleep(500)
    else after += results.length
  }
}

/** Starts calls at a fixed rate, whether or not earlier ones have ended. */
async function atRate(count: number, call: () => Promise<unknown>): Promise<void> {
  const calls: Promise<unknown>[] = []
  const began = performance.now()
  for (let n = 0; n < count; n++) {
    const early = began + (n * 1000) / perSecond - performance.now()
    if (early > 0) await sleep(early)
    calls.push(call())
  }
  await Promise.all(calls)
}

const read = ({ body }: Received): Payload => payload.parse(JSON.parse(body.toString()))

/** Time from the event, shortly before its commit, to the whole body of the first attempt at the receiver. */
const delay = (received: Received): number =>
  received.arrived_date.getTime() - read(received).created_date.getTime()

function soonFigure(delays: number[], mode: string): BenchFigure {
  const [p50, p99] = [median(delays), percentile(delays, 99)]
  return {
    id: 'T-WH-2',
    what: `${perSecond} events/s to ${healthy.length} webhooks each, ${mode}: event to first attempt, ms: p50 / p99`,
    seen: `${p50} / ${p99}`,
    target: `<= ${goals.p50} / ${goals.p99}`,
    holds: p50 <= goals.p50 && p99 <= goals.p99,
  }
}

function isolationFigure(quiet: number[][], beside: number[][], mode: string): BenchFigure {
  const p99 = (phases: number[][]) => median(phases.map((delays) => percentile(delays, 99)))
  const ratio = p99(beside) / p99(quiet)
  return {
    id: 'T-WH-4',
    what: `the same beside a receiver that hangs with ${queued} queued, ${mode}: p99 / p99 without`,
    seen: `${ratio.toFixed(2)} (${p99(beside)} ms / ${p99(quiet)} ms)`,
    target: '<= 2',
    holds: ratio <= 2,
  }
}

/** Checks the order by sequence numbers and by the states in the payloads. */
function orderFigure(arrived: readonly Received[], mode: string): BenchFigure {
  const last = new Map<string, Payload>()
  let disordered = 0
  for (const received of arrived) {
    const one = read(received)
    const key = `${one.webhook_id} ${one.project.id}`
    const before = last.get(key)
    const isLater =
      !before ||
      (one.webhook_sequence > before.webhook_sequence &&
        one.project.updated_date >= before.project.updated_date)
    if (!isLater) disordered++
    last.set(key, one)
  }
  return {
    id: 'T-WH-3',
    what: `first attempts about ${projects} objects that ${writers} writers change, ${mode}: out of order`,
    seen: `${disordered} of ${arrived.length}`,
    target: `0 of ${attempts}`,
    holds: disordered === 0 && arrived.length >= attempts,
  }
}
