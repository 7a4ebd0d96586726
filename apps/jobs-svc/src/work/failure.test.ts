import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import {
  changedMeanwhile,
  conflict,
  DomainError,
  forbidden,
  invalid,
  invalidText,
  notFound,
  unavailable,
} from '@reticle/kit'
import { describe, expect, test } from 'vitest'
import { LeaseLost, UnusableInput } from './errors.ts'
import { brokenConverter, detailOf, endedConverter, failureOf, isUnstorable } from './failure.ts'
import { withReport } from './report.ts'

const coded = (code: string) => Object.assign(new Error('x'), { code })

describe('an error that another attempt cannot avoid is reported to the user at once', () => {
  test.each([
    [
      new FormatError('image is missing', { file: 'a.json', offset: 7 }),
      'a.json: image is missing at byte 7',
    ],
    [new UnusableInput('No media data found'), 'No media data found'],
    [new UnusableInput('two\n  lines'), 'two lines'],
    [new UnusableInput('a\u0085b\u001b[1mc'), 'a b [1mc'],
    [
      new FormatError('cannot be unpacked', { file: 'x'.repeat(4000) }),
      `${'x'.repeat(250)}…${'x'.repeat(249)}: cannot be unpacked`,
    ],
    [invalidText('Adding more data is not supported'), 'Adding more data is not supported'],
    [invalid({ if_match: 'malformed' }), 'if_match: malformed'],
    [
      new DomainError('invalid', 'Invalid input.', {
        body: { shapes: [{}, { points: ['too short'] }] },
      }),
      'shapes[1].points: too short',
    ],
    [notFound(), 'The object was deleted'],
    [notFound('There is no object x.'), 'There is no object x.'],
    [forbidden('no'), 'no'],
    [conflict('locked'), 'locked'],
    [changedMeanwhile('changed', '"1"'), 'changed'],
  ])('%s', (thrown, message) => {
    expect(failureOf(thrown)).toEqual({ kind: 'user', message })
  })
})

test('a failure carries the report entries noted before it, with nothing created', async () => {
  const thrown = new UnusableInput('b.jpg: not a picture')
  const run = async (writer: ReportWriter) => {
    writer.note('skipped', 'ignored-file', 'not a picture', { file: 'a.txt' })
    throw thrown
  }
  await expect(withReport(run)).rejects.toBe(thrown)
  expect(failureOf(thrown)).toMatchObject({
    kind: 'user',
    message: 'b.jpg: not a picture',
    report: {
      created: { tags: 0, shapes: 0, tracks: 0 },
      skipped: 1,
      entries: [{ code: 'ignored-file', examples: [{ file: 'a.txt', item: '' }] }],
    },
  })
  expect(failureOf(new UnusableInput('another'))).not.toHaveProperty('report')
})

describe('a transient error is retried', () => {
  test.each([
    [unavailable('the database is away'), 'the database is away'],
    [conflict('busy', { retry_after: 1 }), 'busy'],
    [coded('ENOSPC'), 'There is no room for temporary files'],
    [new DomainError('internal', 'secret'), 'The service failed to run this request'],
    [new TypeError('x is undefined'), 'The service failed to run this request'],
    [new LeaseLost('taken'), 'The worker no longer holds this request'],
    ['a text', 'The service failed to run this request'],
  ])('%s', (thrown, message) => {
    expect(failureOf(thrown)).toEqual({ kind: 'transient', message })
  })
})

describe('the exit of a converter is a failure', () => {
  const exit = { code: null, signal: null, errors: '' }
  const heap = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'
  test.each([
    ['an abort at the heap limit', { signal: 'SIGABRT', errors: `${heap}\n 1: 0x7f` }, 'memory'],
    ['an abort where signals are exit codes', { code: 134, errors: heap }, 'memory'],
    [
      'a table beyond the heap',
      { signal: 'SIGTRAP', errors: '# Fatal JavaScript invalid size error 169220804' },
      'memory',
    ],
    ['a zone', { signal: 'SIGTRAP', errors: '# Fatal process out of memory: Zone' }, 'memory'],
    [
      'another abort',
      { signal: 'SIGABRT', errors: 'FATAL ERROR: v8::ToLocalChecked' },
      'transient',
    ],
    ['a crash of foreign code', { signal: 'SIGSEGV' }, 'transient'],
    ['a kill', { signal: 'SIGKILL' }, 'transient'],
    ['an exit', { code: 0 }, 'transient'],
    ['an exit with such a text', { code: 1, errors: heap }, 'transient'],
    ['a process that did not start', { errors: 'spawn EAGAIN' }, 'transient'],
  ] as const)('%s', (_, given, kind) => {
    const failure = endedConverter({ ...exit, ...given })
    expect(failure.kind).toBe(kind)
    if (kind === 'memory')
      expect(failure.message).toMatch(
        /more memory than a conversion may use.*smaller parts.*RETICLE_JOBS_HEAP_MIB/,
      )
  })
})

describe('a value beyond the limits of the engine fails at once', () => {
  test.each([
    ['a text', () => 'x'.repeat(2 ** 29).repeat(2)],
    ['a buffer as text', () => Buffer.alloc(2 ** 29 + 100).toString('latin1')],
    ['a buffer', () => new ArrayBuffer(2 ** 52)],
    ['joined texts', () => Array.from({ length: 600 }, () => 'x'.repeat(2 ** 20)).join('')],
  ])('%s', (_, act) => {
    const { kind, message } = failureOf(thrownBy(act))
    expect([kind, message]).toEqual([
      'limit',
      expect.stringMatching(/larger than any.*smaller parts/),
    ])
  })
})

const thrownBy = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (thrown) {
    return thrown
  }
}

describe('an uncaught exception is a failure', () => {
  function overflow(): number {
    return 1 + overflow()
  }

  test.each([
    ['a stack that overflows', thrownBy(overflow), 'limit', /nested too deeply/],
    ['a text that is too long', thrownBy(() => 'x'.repeat(2 ** 30)), 'limit', /single value/],
    ['an error', new Error('x'), 'transient', /unexpected error/],
    ['nothing', undefined, 'transient', /unexpected error/],
    ['what is no text', { toString: 5, valueOf: 5 }, 'transient', /unexpected error/],
    ['no prototype', Object.create(null), 'transient', /unexpected error/],
  ])('%s', (_, thrown, kind, message) => {
    expect(brokenConverter(thrown)).toMatchObject({ kind, message: expect.stringMatching(message) })
  })

  test('the detail for the log is short for any thrown value', () => {
    expect(detailOf(new Error('x'.repeat(1e6))).length).toBeLessThanOrEqual(10_000)
    expect(detailOf(Symbol('x'))).toBe('Symbol(x)')
  })
})

test.each([
  ['22P05', true],
  ['22003', true],
  ['54000', true],
  ['08006', false],
  ['40001', false],
  ['ECONNRESET', false],
])('a value that the database refuses with %s cannot be stored: %s', (code, expected) => {
  expect(isUnstorable(coded(code))).toBe(expected)
})
