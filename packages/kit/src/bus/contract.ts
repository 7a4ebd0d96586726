import { setTimeout as sleep } from 'node:timers/promises'
import { createEventType } from '@reticle/contracts/events/define'
import { sql } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { metricsText } from '../observe/metrics.ts'
import { replayDead } from '../outbox/dead.ts'
import { emit } from '../outbox/emit.ts'
import {
  type BusEvent,
  type Handle,
  onEvent,
  PoisonEvent,
  routeEvents,
  type Subscription,
} from './bus.ts'
import {
  type ContractTables,
  cause,
  counted,
  createRecorder,
  openSuite,
  type Rig,
  type Suite,
  slowly,
  topic,
  until,
  upTo,
} from './testing/rig.ts'

/** Registers the tests that every adapter of `Bus` must pass. Each test uses separate keys and groups. */
export function busContract(name: string, rig: Rig): void {
  const suite = stoppingEarly(openSuite(rig))
  describe(`the bus on ${name}`, () => {
    testDelivery(suite)
    testSharing(suite)
    testMembers(suite)
    testRepeats(suite)
    testPoison(suite)
    testPauses(suite)
    testContent(suite)
    afterAll(suite.close)
  })
}

/**
 * Stops the subscriptions of each test at its end. Every group reads
 * every event, so leftovers would slow down later tests.
 */
function stoppingEarly(suite: Suite): Suite {
  const subscribe: Suite['subscribe'] = (...given) => {
    const subscription = suite.subscribe(...given)
    onTestFinished(subscription.stop)
    return subscription
  }
  return { ...suite, subscribe }
}

function testDelivery({ db, newBus, publish, effects, numbers, subscribe }: Suite) {
  test('events of a key keep their order under eight concurrent writers', async () => {
    subscribe('order', createRecorder('order', 'order'))
    const write = async (key: string) => {
      for (const n of upTo(50)) await publish(key, n, n)
    }
    const keys = upTo(8).map((n) => `order:${n}`)
    await Promise.all(keys.map(write))

    await expect.poll(async () => (await effects('order')).length, until).toBe(400)
    const rows = await effects('order')
    for (const key of keys) {
      expect(rows.filter((row) => row.key === key).map(({ n }) => n)).toEqual(upTo(50))
    }
  })

  test('every group receives all events', async () => {
    const bus = newBus()
    for (const group of ['all-a', 'all-b']) subscribe(group, createRecorder(group, 'all'), bus)
    await publish('all:1', 1, 20)
    for (const group of ['all-a', 'all-b']) {
      await expect.poll(() => numbers(group), until).toEqual(upTo(20))
    }
  })

  test('a new group starts at the earliest event', async () => {
    await publish('early:1', 1, 3)
    await expect.poll(() => db.selectFrom('outbox').select('id').execute(), until).toEqual([])
    subscribe('early', createRecorder('early', 'early'))
    await expect.poll(() => numbers('early'), until).toEqual(upTo(3))
  })

  test('events of a rolled back transaction are not published', async () => {
    subscribe('back', createRecorder('back', 'back'))
    const attempt = db.transaction().execute(async (tx) => {
      await emit(tx, counted, { key: 'back:1', n: 1 }, cause)
      throw new Error('changed my mind')
    })
    await expect(attempt).rejects.toThrow('changed my mind')
    await publish('back:1', 2, 2)
    await expect.poll(() => numbers('back'), until).toEqual([2])
  })

  test('an event without a route in the group is skipped and leaves no row in its inbox', async () => {
    const other = createEventType('counted.down', { key: ({ key }) => key, data: counted.data })
    const handle = createRecorder('routed', 'routed')
    subscribe('routed', routeEvents([onEvent(counted, (tx, _, ...rest) => handle(tx, ...rest))]))
    const ids = await db.transaction().execute(async (tx) => {
      const given = [other, counted, other].map((type, n) => ({
        type,
        fact: { key: 'routed:1', n },
      }))
      const emitted: string[] = []
      for (const { type, fact } of given) emitted.push(await emit(tx, type, fact, cause))
      return emitted
    })
    await expect.poll(() => numbers('routed'), until).toEqual([1])
    await expect.poll(() => lagOf('routed'), until).toBe(0)
    const received = db.selectFrom('inbox').select('event_id').where('consumer', '=', 'routed')
    const kept = await received.where('event_id', 'in', ids).execute()
    expect(kept).toEqual([{ event_id: ids[1] }])
  })
}

function testSharing({ publish, effects, numbers, subscribe }: Suite) {
  test('two members of a group share its events without overlap', async () => {
    const members = ['share-a', 'share-b']
    for (const member of members) subscribe('share', createRecorder(member, 'share', slowly(2)))
    await Promise.all(upTo(40).map((n) => publish(`share:${n}`, 1, 10)))

    const all = async () => Promise.all(members.map(effects))
    await expect.poll(async () => (await all()).flat().length, until).toBe(400)
    const shares = await all()
    expect(Math.min(...shares.map(({ length }) => length))).toBeGreaterThan(0)
    expect(new Set(shares.flat().map(({ event_id }) => event_id)).size).toBe(400)
  })

  test('a subscription stops within five seconds, after the current event', async () => {
    const subscription = subscribe('stop', createRecorder('stop', 'stop', slowly(300)))
    await publish('stop:1', 1, 50)
    await expect.poll(async () => (await numbers('stop')).length, until).toBeGreaterThan(0)

    const started = performance.now()
    await subscription.stop()
    expect(performance.now() - started).toBeLessThan(5000)
    const done = await numbers('stop')
    await sleep(400)
    expect(await numbers('stop')).toEqual(done)
    expect(done).toEqual(upTo(done.length))
  })
}

function testMembers({ publish, effects, subscribe }: Suite) {
  test('no event is lost, repeated or reordered while members join and leave', async () => {
    const keys = upTo(12).map((n) => `storm:${n}`)
    const join = () => subscribe('storm', createRecorder('storm', 'storm', slowly(1)))
    let isOver = false
    const write = async (key: string) => {
      let n = 0
      for (; !isOver; await sleep(40)) await publish(key, ++n, n)
      return n
    }
    const members: (Subscription | undefined)[] = [join()]
    const written = keys.map(write)
    for (const change of upTo(8)) {
      await sleep(500)
      if (change % 3 === 0) await members.shift()?.stop()
      else members.push(join())
    }
    isOver = true
    const totals = await Promise.all(written)

    const sum = totals.reduce((all, n) => all + n, 0)
    await expect
      .poll(async () => (await effects('storm')).length, until)
      .toBeGreaterThanOrEqual(sum)
    const rows = await effects('storm')
    for (const [at, key] of keys.entries()) {
      expect(rows.filter((row) => row.key === key).map(({ n }) => n)).toEqual(upTo(totals[at] ?? 0))
    }
  })
}

function testRepeats({ db, newBus, publish, numbers, subscribe }: Suite) {
  test('an event whose effect was committed is not repeated', async () => {
    const first = subscribe('after', createRecorder('after', 'after'))
    await publish('after:1', 1, 5)
    await expect.poll(() => numbers('after'), until).toEqual(upTo(5))
    await first.stop()

    subscribe('after', createRecorder('after', 'after'))
    await publish('after:1', 6, 6)
    await expect.poll(() => numbers('after'), until).toEqual(upTo(6))
  })

  test('work that a handler leaves until the commit sees the writes of the handler', async () => {
    const handle = createRecorder('left', 'left')
    const seen: Promise<number[]>[] = []
    subscribe('left', async (tx, event, afterCommit) => {
      await handle(tx, event, afterCommit)
      if (event.key === 'left:1') afterCommit(() => void seen.push(numbers('left')))
    })
    await publish('left:1', 1, 1)
    await expect.poll(() => seen.length, until).toBe(1)
    expect(await seen[0]).toEqual([1])
  })

  test('an event whose transaction was terminated before its commit is repeated', async () => {
    let tries = 0
    const handle = createRecorder('before', 'before')
    subscribe('before', async (tx, event, afterCommit) => {
      await handle(tx, event, afterCommit)
      const cut = event.key === 'before:1' && tries++ === 0
      if (cut) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    })
    await publish('before:1', 1, 3)
    await expect.poll(() => numbers('before'), until).toEqual(upTo(3))
    expect(tries).toBe(4)
  })

  test('an event with a transient error is retried, and later ones wait for it', async () => {
    let tries = 0
    const busyTwice: Handle<ContractTables> = async (tx, { data }) => {
      if (counted.data.parse(data).n !== 2 || ++tries > 2) return
      await sql`do 'begin raise sqlstate ''40001''; end'`.execute(tx)
    }
    subscribe('busy', createRecorder('busy', 'busy', busyTwice))
    await publish('busy:1', 1, 3)
    await expect.poll(() => numbers('busy'), until).toEqual(upTo(3))
    expect(tries).toBe(3)
  })

  test('a replay handles all events again from the start', async () => {
    const bus = newBus()
    subscribe('replay', createRecorder('replay', 'replay'), bus)
    await publish('replay:1', 1, 3)
    await expect.poll(() => numbers('replay'), until).toEqual(upTo(3))
    await bus.replay({ group: 'replay', topic, db }, 0)
    await expect.poll(() => numbers('replay'), until).toEqual([1, 2, 3, 1, 2, 3])
  })
}

function testPoison({ db, publish, numbers, dead, subscribe }: Suite) {
  const failsAtTwo =
    (error: Error, count: () => void): Handle<ContractTables> =>
    async (_, { data }) => {
      if (counted.data.parse(data).n !== 2) return
      count()
      throw error
    }

  test('an event that fails five times is moved to dead events, and the next one is handled', async () => {
    let tries = 0
    const broken = failsAtTwo(new Error('no such thing'), () => tries++)
    subscribe('poison', createRecorder('poison', 'poison', broken))
    await publish('poison:1', 1, 3)
    await expect.poll(() => numbers('poison'), until).toEqual([1, 3])
    expect(tries).toBe(5)
    expect(await dead('poison')).toMatchObject([
      { key: 'poison:1', error: 'Error: no such thing', value: { key: 'poison:1', n: 2 } },
    ])
  })

  test('an event that can never be handled is moved to dead events at once', async () => {
    let tries = 0
    const broken = failsAtTwo(new PoisonEvent('of no use'), () => tries++)
    subscribe('never', createRecorder('never', 'never', broken))
    await publish('never:1', 1, 3)
    await expect.poll(() => numbers('never'), until).toEqual([1, 3])
    expect(tries).toBe(1)
    expect(await dead('never')).toMatchObject([{ error: 'Error: of no use' }])
  })

  test('an event with invalid data is moved to dead events', async () => {
    const wrong = createEventType('counted.up', {
      key: ({ key }) => key,
      data: z.object({ key: z.string(), n: z.string() }),
    })
    const handle = createRecorder('wrong', 'wrong')
    const routes = routeEvents<ContractTables>([
      onEvent(counted, (tx, _, ...rest) => handle(tx, ...rest)),
    ])
    subscribe('wrong', routes)
    await db.transaction().execute((tx) => emit(tx, wrong, { key: 'wrong:1', n: 'one' }, cause))
    await publish('wrong:1', 2, 2)
    await expect.poll(() => numbers('wrong'), until).toEqual([2])
    expect(await dead('wrong')).toHaveLength(1)
  })
}

function testPauses({ db, newBus, publish, numbers, dead, subscribe }: Suite) {
  test('a paused subscription handles no events, and after resume all of them in order', async () => {
    const bus = newBus()
    const subscription = subscribe('pause', createRecorder('pause', 'pause'), bus)
    await publish('pause:1', 1, 2)
    await expect.poll(() => numbers('pause'), until).toEqual([1, 2])

    subscription.pause()
    await publish('pause:1', 3, 5)
    await sleep(1500)
    expect(await numbers('pause')).toEqual([1, 2])
    expect(bus.isAlive()).toBe(true)

    subscription.resume()
    await publish('pause:1', 6, 6)
    await expect.poll(() => numbers('pause'), until).toEqual(upTo(6))
  })

  test('the lag metric counts the events that a group has not handled', async () => {
    const subscription = subscribe('behind', createRecorder('behind', 'behind'))
    await publish('behind:1', 1, 1)
    await expect.poll(() => numbers('behind'), until).toEqual([1])
    subscription.pause()
    await publish('behind:1', 2, 4)
    await expect.poll(() => lagOf('behind'), until).toBeGreaterThanOrEqual(3)

    subscription.resume()
    await expect.poll(() => numbers('behind'), until).toEqual(upTo(4))
    await expect.poll(() => lagOf('behind'), until).toBe(0)
  })

  test('a subscription that its handler pauses stops after that event', async () => {
    const handle = createRecorder('full', 'full', async () => subscription.pause())
    const subscription = subscribe('full', handle)
    await publish('full:1', 1, 3)
    for (const n of upTo(3)) {
      await expect.poll(() => numbers('full'), until).toEqual(upTo(n))
      await sleep(100)
      expect(await numbers('full')).toEqual(upTo(n))
      subscription.resume()
    }
  })

  test('a dead event that is replayed is handled again exactly once', async () => {
    let isBroken = true
    const handle = createRecorder('again', 'again', async (_, { data }) => {
      if (isBroken && counted.data.parse(data).n === 2) throw new PoisonEvent('not yet')
    })
    for (const _ of ['one member', 'another']) subscribe('again', handle)
    await publish('again:1', 1, 3)
    await expect.poll(() => numbers('again'), until).toEqual([1, 3])

    expect(await replayDead(db, { consumer: 'again' })).toBe(1)
    await expect.poll(() => dead('again'), until).toMatchObject([{ replayed_date: null }])
    isBroken = false
    await replayDead(db, { consumer: 'again' })
    await expect.poll(() => dead('again'), until).toEqual([])
    expect(await numbers('again')).toEqual([1, 3, 2])
  })
}

async function lagOf(group: string): Promise<number> {
  const line = new RegExp(`^reticle_bus_lag\\{group="${group}"\\} (.+)$`, 'm')
  return Number(line.exec(await metricsText())?.[1])
}

function testContent({ db, subscribe }: Suite) {
  test('an event of one megabyte is delivered', async () => {
    const lengths: number[] = []
    subscribe('large', async (_, { key, data }) => {
      if (key === 'large:1') lengths.push(counted.data.parse(data).padding?.length ?? 0)
    })
    const padding = 'x'.repeat(999_900)
    const fact = { key: 'large:1', n: 1, padding }
    await db.transaction().execute((tx) => emit(tx, counted, fact, cause))
    await expect.poll(() => lengths, until).toEqual([999_900])
  })

  test('an event names its user, organization and request', async () => {
    const seen: BusEvent[] = []
    subscribe('who', async (_, event) => {
      if (event.key === 'who:1') seen.push(event)
    })
    const names = { username: 'ann', first_name: 'Ann', last_name: '', email: 'a@b.c' }
    const why = { principal: { user_id: 7, ...names }, request_id: 'r-1', organization_id: 3 }
    const fact = { key: 'who:1', n: 1 }
    const id = await db.transaction().execute((tx) => emit(tx, counted, fact, why))
    await expect.poll(() => seen, until).toHaveLength(1)
    const head = { id, type: 'counted.up', version: 1, key: 'who:1', data: fact }
    const from = { actor: { id: 7, ...names }, organization_id: 3, request_id: 'r-1' }
    expect(seen[0]).toEqual({ ...head, ...from, occurred_date: expect.any(String) })
  })
}
