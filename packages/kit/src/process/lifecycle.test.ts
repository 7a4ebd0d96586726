import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type OnStop, runProcess } from './lifecycle.ts'

function living(
  start: (onStop: OnStop) => Promise<void>,
  limits: { limitMs?: number; echoMs?: number } = {},
) {
  const signals = new EventEmitter()
  const errors: string[] = []
  const onError = (name: string, error: unknown) => {
    errors.push(`${name}: ${error instanceof Error ? error.message : error}`)
  }
  return { signals, errors, code: runProcess(start, { signals, onError, ...limits }) }
}

test('after a signal everything stops in reverse order, and the exit code is 0', async () => {
  const stopped: string[] = []
  const { signals, code } = living(async (onStop) => {
    for (const name of ['database', 'services', 'listener']) {
      onStop(name, async () => {
        await sleep(5)
        stopped.push(name)
      })
    }
  })
  await sleep(20)
  expect(stopped).toEqual([])
  signals.emit('SIGTERM')
  expect(await code).toBe(0)
  expect(stopped).toEqual(['listener', 'services', 'database'])
  expect(signals.listenerCount('SIGTERM')).toBe(0)
})

test('an immediate repetition of the signal is ignored as an echo', async () => {
  const { signals, code, errors } = living(async (onStop) => onStop('slow', () => sleep(50)))
  signals.emit('SIGINT')
  await sleep(10)
  signals.emit('SIGINT')
  expect(await code).toBe(0)
  expect(errors).toEqual([])
})

test.each([
  ['another signal', 'SIGTERM', 0],
  ['the same signal later', 'SIGINT', 40],
])('%s ends the wait for parts that stop slowly', async (_, name, wait) => {
  const slow = async (onStop: OnStop) =>
    onStop('slow', () => sleep(5000, undefined, { ref: false }))
  const { signals, code, errors } = living(slow, { echoMs: 20 })
  signals.emit('SIGINT')
  await sleep(wait)
  signals.emit(name)
  expect(await code).toBe(1)
  expect(errors).toEqual(['stop: a second signal came before everything was stopped'])
})

test('a part that does not stop in time is abandoned', async () => {
  const stuck = async (onStop: OnStop) => onStop('stuck', () => new Promise(() => undefined))
  const { signals, code, errors } = living(stuck, { limitMs: 30 })
  signals.emit('SIGTERM')
  expect(await code).toBe(1)
  expect(errors).toEqual(['stop: not stopped within 0.03 s'])
})

test('a hanging start is abandoned in time after a signal', async () => {
  const { signals, code, errors } = living(() => new Promise(() => undefined), { limitMs: 30 })
  signals.emit('SIGINT')
  expect(await code).toBe(1)
  expect(errors).toEqual(['stop: not stopped within 0.03 s'])
})

test('a second signal ends a hanging start', async () => {
  const { signals, code } = living(() => new Promise(() => undefined))
  signals.emit('SIGINT')
  signals.emit('SIGTERM')
  expect(await code).toBe(1)
})

test('a part that fails to stop is named, and the others still stop', async () => {
  const stopped: string[] = []
  const { signals, code, errors } = living(async (onStop) => {
    onStop('first', () => void stopped.push('first'))
    onStop('bad', () => Promise.reject(new Error('stuck')))
  })
  signals.emit('SIGTERM')
  expect(await code).toBe(1)
  expect(errors).toEqual(['bad: stuck'])
  expect(stopped).toEqual(['first'])
})

test('if the start fails, the started parts stop without a signal', async () => {
  const stopped: string[] = []
  const { code, errors } = living(async (onStop) => {
    onStop('database', () => void stopped.push('database'))
    throw new Error('port taken')
  })
  expect(await code).toBe(1)
  expect(errors).toEqual(['start: port taken'])
  expect(stopped).toEqual(['database'])
})
