import { expect, onTestFinished, test } from 'vitest'
import { openProbes } from './probes.ts'

async function rig() {
  const probes = await openProbes({
    host: '127.0.0.1',
    port: 0,
    metrics: async () => 'things 3\n',
  })
  onTestFinished(probes.stop)
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${probes.port}${path}`, { method })
    return { status: answer.status, text: await answer.text() }
  }
  return { probes, ask }
}

test('a process lives from its first moment, and is started and ready when it says so', async () => {
  const { probes, ask } = await rig()
  const statuses = async () =>
    Promise.all(['/healthz', '/startupz', '/readyz'].map(async (path) => (await ask(path)).status))
  expect(await statuses()).toEqual([200, 503, 503])
  probes.setReady(true)
  expect(await statuses()).toEqual([200, 200, 200])
  probes.setReady(false)
  expect(await statuses()).toEqual([200, 200, 503])
})

test('a need that fails or hangs takes traffic away, and is named', async () => {
  const { probes, ask } = await rig()
  probes.setReady(true)
  probes.needs('database', async () => {
    throw new Error('postgresql://secret@db refused')
  })
  probes.needs('other', () => new Promise(() => undefined))
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'database\nother\n' })
  expect((await ask('/healthz')).status).toBe(200)
})

test('what only a restart mends makes the process not live', async () => {
  const { probes, ask } = await rig()
  let isAlive = true
  probes.livesBy('bus', () => isAlive)
  expect((await ask('/healthz')).status).toBe(200)
  isAlive = false
  expect(await ask('/healthz')).toEqual({ status: 503, text: 'bus\n' })
})

test('metrics are answered, and nothing else is', async () => {
  const { ask } = await rig()
  expect(await ask('/metrics')).toEqual({ status: 200, text: 'things 3\n' })
  expect((await ask('/')).status).toBe(404)
  expect((await ask('/healthz', 'POST')).status).toBe(404)
})
