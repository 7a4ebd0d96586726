import { decodeMessage, encodeMessage } from '../worker/converter-messages.ts'

/** Invalid messages of a converter, and other ways in which a converter fails. */

export type MisbehaviourEnding =
  | 'finished'
  | 'refused'
  | 'retried'
  | 'too deep'
  | 'too much memory'
  | 'too large'

interface Misbehaviour {
  name: string
  ending: MisbehaviourEnding
  /** Called within a running conversion; when it returns, the conversion continues. */
  act: (around: Around) => unknown
}

interface Around {
  run: number
  post: (message: unknown) => void
}

const wasRun = { run: 0, sendRaw: (_message: string | object): unknown => undefined }

/** Reads the number of the run from the messages that the converter itself sends. */
export function watchRun(): void {
  if (!process.send) return
  const send = process.send.bind(process)
  wasRun.sendRaw = (message) => send(message)
  process.send = (message: unknown) => {
    const sent = typeof message === 'string' ? decodeMessage(message) : message
    const run = typeof sent === 'object' && sent && Reflect.get(sent, 'run')
    if (typeof run === 'number') wasRun.run = run
    return send(message)
  }
}

export async function runMisbehaviour(index: number): Promise<void> {
  const { run } = wasRun
  const post = (message: unknown) => void process.send?.(encodeMessage(message))
  await misbehaviours[index]?.act({ run, post })
}

const progress = (name: string, given: object): Misbehaviour => ({
  name: `progress with ${name}`,
  ending: 'finished',
  act: ({ run, post }) =>
    post({ type: 'progress', run, share: 0.1, stage: 'x', amounts: {}, ...given }),
})

const refused = (name: string, message: (run: number) => unknown): Misbehaviour => ({
  name,
  ending: 'refused',
  act: async ({ run, post }) => {
    post(message(run))
    await never()
  },
})

const thrown = (name: string, what: unknown): Misbehaviour => ({
  name: `an exception that nothing catches: ${name}`,
  ending: 'retried',
  act: async () => {
    setTimeout(() => {
      throw what
    })
    await never()
  },
})

/** Sends a message on the channel without the encoding. */
const raw = (name: string, message: string | object): Misbehaviour => ({
  name: `on the channel: ${name}`,
  ending: 'refused',
  act: async () => {
    wasRun.sendRaw(message)
    await never()
  },
})

const hoards = (name: string, act: () => unknown): Misbehaviour => ({
  name,
  ending: 'too much memory',
  act,
})

const never = () => new Promise((resolve) => setTimeout(resolve, 3_600_000))

function overflow(): number {
  return 1 + overflow()
}

function nested(depth: number): object {
  let value = {}
  for (let at = 0; at < depth; at++) value = { value }
  return value
}

const report = (reason: string) => ({
  created: { tags: 0, shapes: 0, tracks: 0 },
  skipped: 0,
  converted: 0,
  dropped: 0,
  entries: [{ kind: 'skipped', code: 'x', count: 1, reason, examples: [] }],
})
const done = (run: number, outcome: unknown) => ({ type: 'done', run, outcome })
const nothing = { report: null, result: null, result_id: null }
const failure = { kind: 'user', message: 'late', detail: '' }

export const misbehaviours: readonly Misbehaviour[] = [
  progress('NaN', { share: Number.NaN }),
  progress('Infinity', { share: Number.POSITIVE_INFINITY }),
  progress('-Infinity', { share: Number.NEGATIVE_INFINITY }),
  progress('a negative share', { share: -5 }),
  progress('a share over 1', { share: 1e300 }),
  progress('a share that is text', { share: '0.5' }),
  progress('a share that is a bigint', { share: 10n }),
  progress('no share', { share: undefined }),
  progress('a share that is an object', { share: { valueOf: 1 } }),
  progress('amounts that are text', { amounts: 'many' }),
  progress('amounts that are null', { amounts: null }),
  progress('amounts that are no whole numbers', {
    amounts: { bytes_done: Number.NaN, bytes_total: -1, items_done: '7', items_total: 0.5 },
  }),
  progress('amounts beyond what is stored', { amounts: { bytes_done: 1e300 } }),
  progress('8 MB of text for a stage', { stage: 'x'.repeat(8 * 1024 ** 2) }),
  progress('characters in its stage that are not stored', { stage: 'a\0b\ud800' }),
  {
    name: 'progress that decreases, 2,000 times',
    ending: 'finished',
    act: ({ run, post }) => {
      for (let at = 2000; at > 0; at--)
        post({ type: 'progress', run, share: at / 2000, stage: `${at % 2}`, amounts: {} })
    },
  },
  {
    name: 'messages of runs that are over or unknown',
    ending: 'finished',
    act: ({ run, post }) => {
      for (const other of [run - 1, run + 1, 1e9, -1]) {
        post({ type: 'call', run: other, call_id: 1, call: { method: 'enterFinal' } })
        post({ type: 'progress', run: other })
        post(done(other, { ...nothing, result_id: 7 }))
      }
    },
  },
  {
    name: 'two results and progress after the end',
    ending: 'finished',
    act: ({ run, post }) => {
      const late = [done(run, nothing), { type: 'failed', run, failure }, { type: 'progress', run }]
      for (const message of late) setTimeout(() => post(message), 1000)
      setTimeout(() => post({ type: 'progress', run, share: 0.1, stage: 'x', amounts: {} }), 1000)
    },
  },
  refused('null', () => null),
  refused('nothing', () => undefined),
  refused('a text', () => 'done'),
  refused('a number', () => 7),
  refused('a list', () => []),
  refused('no type', (run) => ({ run })),
  refused('an unknown type', (run) => ({ type: 'finish', run })),
  refused('no run', () => ({ type: 'done', outcome: nothing })),
  refused('a run that is text', (run) => ({ type: 'done', run: `${run}`, outcome: nothing })),
  refused('progress without a stage', (run) => ({ type: 'progress', run, share: 0.5 })),
  refused('a stage that is a number', (run) => ({ type: 'progress', run, share: 0.5, stage: 7 })),
  refused('an end without an outcome', (run) => ({ type: 'done', run })),
  refused('an outcome that is text', (run) => done(run, 'all of it')),
  refused('an outcome without fields', (run) => done(run, {})),
  refused('a size that is NaN', (run) =>
    done(run, { ...nothing, result: { key: 'k', size: Number.NaN } }),
  ),
  refused('a number of an object that is none', (run) => done(run, { ...nothing, result_id: 1.5 })),
  refused('a report of the wrong type', (run) => done(run, { ...nothing, report: [] })),
  refused('a report that cannot be stored', (run) =>
    done(run, { ...nothing, report: report('a\0') }),
  ),
  refused('a failure without a reason', (run) => ({ type: 'failed', run })),
  refused('a failure of an unknown kind', (run) => ({
    type: 'failed',
    run,
    failure: { ...failure, kind: 'fatal' },
  })),
  refused('a call without a number', (run) => ({
    type: 'call',
    run,
    call: { method: 'enterFinal' },
  })),
  refused('a call of an unknown method', (run) => ({
    type: 'call',
    run,
    call_id: 1,
    call: { method: 'leave' },
  })),
  refused('files that are text', (run) => ({
    type: 'call',
    run,
    call_id: 1,
    call: { method: 'registerContents', files: 'all' },
  })),
  refused('a checkpoint of the wrong type', (run) => ({
    type: 'call',
    run,
    call_id: 1,
    call: { method: 'saveCheckpoint', checkpoint: 7 },
  })),
  refused('a message that cannot be read', (run) => ({ type: 'done', run, deep: nested(3000) })),
  thrown('an error', new Error('uncaught')),
  thrown('what cannot be turned into text', { toString: 5, valueOf: 5 }),
  thrown('null', null),
  thrown('a symbol', Symbol('thrown')),
  {
    name: 'a rejection that nothing handles',
    ending: 'retried',
    act: async () => {
      void Promise.reject(new Error('unhandled'))
      await never()
    },
  },
  { name: 'process.exit(0)', ending: 'retried', act: () => process.exit(0) },
  { name: 'process.exit(3)', ending: 'retried', act: () => process.exit(3) },
  { name: 'a stack that overflows', ending: 'too deep', act: () => overflow() },
  {
    name: 'a stack that overflows where nothing catches it',
    ending: 'too deep',
    act: async () => {
      setTimeout(() => overflow())
      await never()
    },
  },
  raw('a text', 'done'),
  raw('an object', { type: 'done' }),
  raw('a structure that is nested too deeply', nested(3000)),
  raw('8 MB of text', 'x'.repeat(8 * 1024 ** 2)),
  {
    name: 'a channel that is closed',
    ending: 'retried',
    act: async () => {
      process.disconnect()
      await never()
    },
  },
  { name: 'process.abort()', ending: 'retried', act: () => process.abort() },
  {
    name: 'a crash of foreign code',
    ending: 'retried',
    act: async () => {
      process.kill(process.pid, 'SIGSEGV')
      await never()
    },
  },
  hoards('many small objects', () => {
    const all: object[] = []
    for (;;) all.push({ at: all.length, list: new Array(100).fill(all.length) })
  }),
  hoards('lists of 50,000,000 entries', () => {
    const all: object[] = []
    for (;;) all.push(new Array(50_000_000).fill(0))
  }),
  hoards('joined texts', () => {
    const all: string[] = []
    for (;;) all.push(['x'.repeat(20_000_000), all.length].join('-'))
  }),
  hoards('a map that grows', () => {
    const all = new Map<number, object>()
    for (let at = 0; ; at++) all.set(at, { at })
  }),
  hoards('a set that grows', () => {
    const all = new Set<string>()
    for (let at = 0; ; at++) all.add(`key ${at}`)
  }),
  hoards('an object that grows', () => {
    const all: Record<string, number> = {}
    for (let at = 0; ; at++) all[`key ${at}`] = at
  }),
  hoards('a list of numbers that grows', () => {
    const all: number[] = []
    for (;;) all.push(all.length + 0.5)
  }),
  hoards('a list that doubles', () => {
    let all = [1, 2, 3]
    for (;;) all = [...all, ...all]
  }),
  hoards('JSON of 60 MB', () => JSON.parse(`[${'[1,[]],'.repeat(8_000_000)}1]`)),
  hoards('the matches of a long text', () => {
    const matches = 'ab'.repeat(50_000_000).match(/a|b/g)
    return matches
  }),
  { name: 'a text beyond the engine', ending: 'too large', act: () => 'x'.repeat(2 ** 30) },
  { name: 'a buffer beyond memory', ending: 'too large', act: () => new ArrayBuffer(2 ** 52) },
]
