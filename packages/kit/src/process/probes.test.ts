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

test('a process is live at once, and started and ready when it reports so', async () => {
  const { probes, ask } = await rig()
  const statuses = async () =>
    Promise.all(['/healthz', '/startupz', '/readyz'].map(async (path) => (await ask(path)).status))
  expect(await statuses()).toEqual([200, 503, 503])
  probes.setReady(true)
  expect(await statuses()).toEqual([200, 200, 200])
  probes.setReady(false)
  expect(await statuses()).toEqual([200, 200, 503])
})

test('an unmet or hanging need is named and makes the process not ready', async () => {
  const { probes, ask } = await rig()
  probes.setReady(true)
  probes.needs('database', async () => {
    throw new Error('postgresql://secret@db refused')
  })
  probes.needs('other', () => new Promise(() => undefined))
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'database\nother\n' })
  expect((await ask('/healthz')).status).toBe(200)
})

test('a failure that only a restart repairs makes the process not live', async () => {
  const { probes, ask } = await rig()
  let isAlive = true
  probes.livesBy('bus', () => isAlive)
  expect((await ask('/healthz')).status).toBe(200)
  isAlive = false
  expect(await ask('/healthz')).toEqual({ status: 503, text: 'bus\n' })
})

test('only metrics and the probes are served, and only for GET', async () => {
  const { ask } = await rig()
  expect(await ask('/metrics')).toEqual({ status: 200, text: 'things 3\n' })
  expect((await ask('/')).status).toBe(404)
  expect((await ask('/healthz', 'POST')).status).toBe(404)
})
