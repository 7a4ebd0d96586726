import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { connectGrpc } from '../rpc/grpc/connect.ts'
import { openGrpcServer } from './grpc.ts'
import { openProbes } from './probes.ts'
import { processPart } from './settings.ts'

/** Opens a gRPC server whose process needs a database, and a connection to it. */
async function rig() {
  const probes = await openProbes({ host: '127.0.0.1', port: 0, metrics: async () => '' })
  onTestFinished(probes.stop)
  const needed = { isThere: true }
  probes.needs('database', async () => {
    if (!needed.isThere) throw new Error('refused')
  })
  const leaves: (() => void)[] = []
  let port = 0
  const log = pino({}, { write: (line: string) => (port = JSON.parse(line).grpc_port) })
  await openGrpcServer(
    {
      log,
      settings: processPart({}),
      probes,
      onStop: (_, stop) => onTestFinished(async () => stop()),
      onLeave: (leave) => leaves.push(leave),
    },
    { port: 0, keys: ['k'], tls: undefined },
    () => undefined,
  )
  const connection = connectGrpc({ address: `127.0.0.1:${port}`, keys: ['k'] })
  onTestFinished(connection.close)
  const serves = () =>
    connection.check().then(
      () => true,
      () => false,
    )
  const leave = () => {
    for (const one of leaves) one()
  }
  return { needed, serves, leave }
}

test('a process without its database reports that it does not serve, until the database is back', async () => {
  const { needed, serves } = await rig()
  expect(await serves()).toBe(true)
  needed.isThere = false
  await expect.poll(serves).toBe(false)
  needed.isThere = true
  await expect.poll(serves).toBe(true)
})

test('a stopping process keeps reporting that it does not serve', async () => {
  const { serves, leave } = await rig()
  leave()
  expect(await serves()).toBe(false)
  await sleep(2500) // longer than the interval between two checks of the needs
  expect(await serves()).toBe(false)
})
