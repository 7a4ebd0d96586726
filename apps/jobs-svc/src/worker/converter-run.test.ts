import { describe, expect, test } from 'vitest'
import { misbehaviours } from '../testing/misbehaviour.ts'
import type { ToConverter } from './converter-messages.ts'
import type { ConversionCallbacks } from './converter-run.ts'
import { handleConverterMessage, openConverterRun } from './converter-run.ts'

/** Opens the second run of a converter and posts its messages, of which none may make it throw. */
function started(given: Partial<ConversionCallbacks> = {}) {
  const passed: [number, string, unknown][] = []
  const sent: ToConverter[] = []
  const ignored: unknown[] = []
  const progress: ConversionCallbacks['progress'] = (share, stage, amounts) =>
    passed.push([share, stage, amounts])
  const watch = { ...watchOf(), progress, ...given }
  const run = openConverterRun(2, watch, (message) => sent.push(message))
  const post = (message: unknown) =>
    handleConverterMessage(message, run, (one) => ignored.push(one))
  const outcome = { report: null, result: null, result_id: null }
  const finish = async () => {
    post({ type: 'done', run: 2, outcome })
    return run.ended
  }
  return { run, passed, sent, ignored, post, finish, outcome }
}

const named = (ending: string) =>
  misbehaviours.filter((one) => one.ending === ending).map((one) => ({ ...one }))

/**
 * Selects cases that a run can judge by the message alone: the database refuses an invalid report, the channel an
 * unencoded message.
 */
const isMessage = ({ name }: { name: string }) =>
  name !== 'a report that cannot be stored' && !name.startsWith('on the channel')

describe('an invalid message ends its run with a failure that names the fault', () => {
  test.each(named('refused').filter(isMessage))('$name', async ({ act }) => {
    const { run, post } = started()
    void act({ run: 2, post })
    expect(await run.ended).toMatchObject({
      type: 'failed',
      failure: {
        kind: 'defect',
        message: expect.stringMatching(/^The conversion failed: .*an invalid message \(.+\)$/),
      },
    })
  })
})

describe('any progress message yields a share from 0 to 1, and the run continues', () => {
  test.each(named('finished').filter(({ name }) => name.startsWith('progress')))(
    '$name',
    async ({ act, name }) => {
      const { passed, post, finish } = started()
      act({ run: 2, post })
      expect(passed.length).toBeGreaterThan(0)
      for (const [share, stage, amounts] of passed) {
        expect([name, share >= 0 && share <= 1, stage.length <= 200]).toEqual([name, true, true])
        expect(Object.values(Object(amounts)).filter((one) => one !== undefined)).toEqual([])
      }
      const shares = passed.map(([share]) => share)
      expect(shares).toEqual(shares.toSorted((a, b) => a - b))
      expect(await finish()).toMatchObject({ type: 'done' })
    },
  )
})

describe('a message that belongs to no open run is ignored', () => {
  test('messages of runs that are over or unknown', async () => {
    const { post, passed, sent, ignored, finish } = started()
    for (const run of [1, 3, -1, 1e9])
      for (const message of [
        { type: 'progress', run, share: 0.5, stage: 'x', amounts: {} },
        { type: 'call', run, call_id: 1, call: { method: 'enterFinal' } },
        { type: 'done', run, outcome: { result_id: 7 } },
        { type: 'nonsense', run },
      ])
        post(message)
    expect([passed, sent, ignored.length]).toEqual([[], [], 16])
    expect(await finish()).toMatchObject({ type: 'done', outcome: { result_id: null } })
  })

  test('messages after the end: a second result, progress, invalid messages', async () => {
    const { run, post, passed, ignored, outcome, finish } = started()
    await finish()
    post({ type: 'done', run: 2, outcome: { ...outcome, result_id: 7 } })
    post({ type: 'failed', run: 2, failure: { kind: 'user', message: 'late', detail: '' } })
    post({ type: 'progress', run: 2, share: 0.5, stage: 'x', amounts: {} })
    post(null)
    expect([passed, ignored.length]).toEqual([[], 4])
    expect(await run.ended).toMatchObject({ type: 'done', outcome: { result_id: null } })
  })

  test('any message of an idle converter', () => {
    const ignored: unknown[] = []
    const all = [undefined, null, 'text', { type: 'progress', run: 1 }, { type: 'done' }]
    for (const message of all)
      handleConverterMessage(message, undefined, (one) => ignored.push(one))
    expect(ignored).toEqual(all)
  })
})

describe('a call', () => {
  const callOf = (call: object) => ({ type: 'call', run: 2, call_id: 5, call })

  test('gets a reply with its number', async () => {
    const { post, sent } = started({ registerContents: async () => new Map([['a', 'b']]) })
    post(callOf({ method: 'enterFinal' }))
    post({ ...callOf({ method: 'registerContents', files: [] }), call_id: 6 })
    await expect.poll(() => sent.length).toBe(2)
    expect(sent).toEqual([
      { type: 'reply', run: 2, call_id: 5, reply: true },
      { type: 'reply', run: 2, call_id: 6, reply: new Map([['a', 'b']]) },
    ])
  })

  test('counts as a lost lease when its result is unknown or the handler throws', async () => {
    const { post, sent } = started({
      enterFinal: () => {
        throw new Error('the database is away')
      },
      shareWithTask: () => Promise.reject(new Error('the database is away')),
    })
    post(callOf({ method: 'enterFinal' }))
    post(callOf({ method: 'shareWithTask', task_id: 1 }))
    await expect.poll(() => sent.length).toBe(2)
    for (const message of sent) expect(message).toMatchObject({ reply: false })
  })

  test('ends the run when its reply cannot be sent', async () => {
    const { run } = started()
    const broken = openConverterRun(3, watchOf(), () => {
      throw new Error('it cannot be cloned')
    })
    broken.reply(1, { method: 'enterFinal' })
    expect(await broken.ended).toMatchObject({ type: 'failed', failure: { kind: 'transient' } })
    expect(run.isEnded()).toBe(false)
  })
})

const watchOf = (): ConversionCallbacks => ({
  progress: () => undefined,
  enterFinal: async () => true,
  registerContents: async () => new Map(),
  shareWithTask: async () => true,
  saveCheckpoint: async () => true,
  signal: new AbortController().signal,
})
